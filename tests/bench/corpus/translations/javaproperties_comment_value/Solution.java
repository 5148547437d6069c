public class Solution {
    public static String comment_value(String source) {
        int start = 0;
        int end = source.length();
        while (start < end && " \t\f".indexOf(source.charAt(start)) >= 0) {
            start++;
        }
        if (start < end && (source.charAt(start) == '#' || source.charAt(start) == '!')) {
            start++;
        }
        while (end > start && (source.charAt(end - 1) == '\r' || source.charAt(end - 1) == '\n')) {
            end--;
        }
        return source.substring(start, end);
    }
}
