import java.util.List;

class Solution {
    static String format_version(List<String> parts) {
        String shown = String.join(".", parts.subList(0, Math.min(3, parts.size())));
        if (parts.size() <= 3) return shown;
        String last = parts.get(3);
        return shown + (last.startsWith("dev") || last.startsWith("post") ? "." : "") + last;
    }
}
