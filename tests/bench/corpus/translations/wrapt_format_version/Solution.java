import java.util.List;

class Solution {
    static String format_version(List<String> parts) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
            String p = parts.get(i);
            if (i > 0 && (i < 3 || p.startsWith("dev") || p.startsWith("post"))) b.append('.');
            b.append(p);
        }
        return b.toString();
    }
}
