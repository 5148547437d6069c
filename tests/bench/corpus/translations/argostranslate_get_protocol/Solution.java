class Solution {
    public static String get_protocol(String url) {
        int i = url.indexOf(':');
        return i > 0 ? url.substring(0, i) : null;
    }
}
