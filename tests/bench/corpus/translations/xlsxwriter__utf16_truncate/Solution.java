class Solution {
    static String utf16_truncate(String string, long max_len) {
        if (string.length() <= max_len) return string;
        int end = (int) Math.max(0, max_len);
        if (end > 0 && Character.isHighSurrogate(string.charAt(end - 1))) end--;
        return string.substring(0, end);
    }
}
