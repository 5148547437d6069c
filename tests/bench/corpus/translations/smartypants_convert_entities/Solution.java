public class Solution {
    private static final String[][] ENTITIES = {
        {"&#8211;", "\u2013", "&ndash;", "-"},
        {"&#8212;", "\u2014", "&mdash;", "--"},
        {"&#8216;", "\u2018", "&lsquo;", "'"},
        {"&#8217;", "\u2019", "&rsquo;", "'"},
        {"&#8220;", "\u201c", "&ldquo;", "\""},
        {"&#8221;", "\u201d", "&rdquo;", "\""},
        {"&#8230;", "\u2026", "&hellip;", "..."},
    };

    public static String convert_entities(String text, long mode) {
        long m = mode < 0 ? mode + 3 : mode;
        if (m < 0 || m > 2) {
            throw new IndexOutOfBoundsException("mode " + mode);
        }
        for (String[] e : ENTITIES) {
            text = text.replace(e[0], e[1 + (int) m]);
        }
        return text;
    }
}
