public class Solution {
    public static String strings_alphanumeric(String string) {
        return string.replaceAll("[^0-9a-zA-Z ]", "");
    }
}
