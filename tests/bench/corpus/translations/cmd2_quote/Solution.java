class Solution {
    static String quote(String val) {
        String q = val.indexOf('"') >= 0 ? "'" : "\"";
        return q + val + q;
    }
}
