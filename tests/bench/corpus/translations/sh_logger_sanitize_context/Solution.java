class Solution {
    static String sanitize_context(Object context) {
        return context instanceof String text ? text.replace("%", "%%") : "";
    }
}
