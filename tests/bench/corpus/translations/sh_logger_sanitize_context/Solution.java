class Solution {
    static String sanitize_context(String context) {
        return context == null ? "" : context.replace("%", "%%");
    }
}
