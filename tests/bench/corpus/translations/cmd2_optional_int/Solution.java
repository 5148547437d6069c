class Solution {
    static Long optional_int(Object val) {
        if (val == null) return null;
        if (val instanceof Number) return ((Number) val).longValue();
        if (val instanceof Boolean) return (Boolean) val ? 1L : 0L;
        String t = numText(val.toString());
        if (t.equalsIgnoreCase("none")) return null;
        if (!t.matches("[+-]?[0-9]+(?:_[0-9]+)*")) throw new NumberFormatException(t);
        return Long.parseLong(t.replace("_", ""));
    }

    private static boolean isSpace(int c) {
        return (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680
            || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
    }

    private static boolean isNumberSpace(char c) {
        return isSpace(c) && !(c >= 0x1c && c <= 0x1f);
    }

    // Strips white space, and turns decimal digits of any script into 0-9.
    private static String numText(String s) {
        int i = 0, j = s.length();
        while (i < j && isNumberSpace(s.charAt(i))) i++;
        while (j > i && isNumberSpace(s.charAt(j - 1))) j--;
        StringBuilder b = new StringBuilder();
        s.substring(i, j).codePoints().forEach(c -> {
            if (Character.getType(c) == Character.DECIMAL_DIGIT_NUMBER) b.append((char) ('0' + Character.digit(c, 10)));
            else b.appendCodePoint(c);
        });
        return b.toString();
    }
}
