public class Solution {
    public static long char_to_keysym(String char_) {
        if (char_.codePointCount(0, char_.length()) != 1) throw new IllegalArgumentException("a single character is expected");
        long cp = char_.codePointAt(0);
        return cp < 256 ? cp : cp | 16777216L;
    }
}
