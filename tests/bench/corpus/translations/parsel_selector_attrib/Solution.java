import java.util.LinkedHashMap;
import java.util.Map;

public class Solution {
    public static Map<String, Object> selector_attrib(Map<String, Object> root, String type) {
        Map<String, Object> result = new LinkedHashMap<>();
        if ("json".equals(type)) {
            return result;
        }
        Map<?, ?> attrib = (Map<?, ?>) root.get("attrib");
        if (attrib == null) {
            throw new IllegalArgumentException("no attrib");
        }
        for (Map.Entry<?, ?> e : attrib.entrySet()) {
            result.put((String) e.getKey(), e.getValue());
        }
        return result;
    }
}
