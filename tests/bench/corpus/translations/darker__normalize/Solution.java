public class Solution {
    private static boolean isBlank(char c) {
        return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0
            || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029
            || c == 0x202f || c == 0x205f || c == 0x3000;
    }

    private static boolean isLineBreak(char c) {
        return (c >= 0x0a && c <= 0x0d) || (c >= 0x1c && c <= 0x1e) || c == 0x85
            || c == 0x2028 || c == 0x2029;
    }

    private static String stripBlanks(String s) {
        int start = 0;
        int end = s.length();
        while (start < end && isBlank(s.charAt(start))) start++;
        while (end > start && isBlank(s.charAt(end - 1))) end--;
        return s.substring(start, end);
    }

    public static String normalize(String lineend, String value) {
        StringBuilder out = new StringBuilder();
        int n = value.length();
        int pos = 0;
        boolean first = true;
        while (pos < n) {
            int end = pos;
            while (end < n && !isLineBreak(value.charAt(end))) end++;
            if (!first) out.append(lineend);
            first = false;
            out.append(stripBlanks(value.substring(pos, end)));
            if (end < n) {
                if (value.charAt(end) == '\r' && end + 1 < n && value.charAt(end + 1) == '\n') end++;
                end++;
            }
            pos = end;
        }
        return stripBlanks(out.toString());
    }
}
