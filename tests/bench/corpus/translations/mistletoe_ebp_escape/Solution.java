class Solution {
    public static String escape(String s, boolean quote) {
        String r = s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        if (quote) {
            r = r.replace("\"", "&quot;").replace("'", "&#x27;");
        }
        return r;
    }
}
