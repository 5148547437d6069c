import java.util.List;
import java.util.Map;

class Solution {
    static boolean has_quoted_quotes(Map<String, Object> token) {
        Object plain = token.get("plain");
        boolean empty = plain == null || plain.equals(0) || plain.equals("")
            || plain instanceof List<?> list && list.isEmpty() || plain instanceof Map<?, ?> map && map.isEmpty();
        if (!empty) return false;
        Object style = token.get("style");
        if (!"'".equals(style) && !"\"".equals(style)) return false;
        return ((String) token.get("value")).contains("'".equals(style) ? "\"" : "'");
    }
}
