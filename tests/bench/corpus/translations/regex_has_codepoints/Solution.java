import java.util.List;
import java.util.Map;

class Solution {
    static boolean has_codepoints(Map<String, Object> property) {
        Object values = property.get("values");
        if (!(values instanceof Map)) return false;
        for (Object v : ((Map<?, ?>) values).values()) {
            if (v instanceof String && ((String) v).contains("codepoints")) return true;
            if (v instanceof List && ((List<?>) v).contains("codepoints")) return true;
            if (v instanceof Map && ((Map<?, ?>) v).containsKey("codepoints")) return true;
        }
        return false;
    }
}
