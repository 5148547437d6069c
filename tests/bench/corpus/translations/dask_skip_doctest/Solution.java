class Solution {
    static String skip_doctest(String doc) {
        if (doc == null) return "";
        StringBuilder out = new StringBuilder();
        boolean first = true;
        for (String line : doc.split("\n", -1)) {
            if (!first) out.append('\n');
            first = false;
            out.append(line);
            String stripped = strip(line);
            if (stripped.equals(">>>") || stripped.startsWith(">>> #")) continue;
            if (stripped.contains(">>>") && !stripped.contains("+SKIP")) {
                out.append(line.contains("# doctest:") ? ", +SKIP" : "  # doctest: +SKIP");
            }
        }
        return out.toString();
    }

    private static boolean isSpace(int c) {
        return (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680
            || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
    }

    private static String strip(String s) {
        int i = 0, j = s.length();
        while (i < j && isSpace(s.charAt(i))) i++;
        while (j > i && isSpace(s.charAt(j - 1))) j--;
        return s.substring(i, j);
    }
}
