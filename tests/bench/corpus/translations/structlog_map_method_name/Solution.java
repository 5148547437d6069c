class Solution {
    static String map_method_name(String method_name) {
        return switch (method_name) {
            case "exception" -> "error";
            case "warn" -> "warning";
            default -> method_name;
        };
    }
}
