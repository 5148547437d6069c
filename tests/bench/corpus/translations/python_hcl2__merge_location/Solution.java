import java.util.*;

class Solution {
    public static Map<String, Object> merge_location(Object converted, Map<String, Object> location) {
        Map<String, Object> out = new LinkedHashMap<>();
        if (converted instanceof Map) {
            if (location != null) out.putAll(location);
            for (Map.Entry<?, ?> e : ((Map<?, ?>) converted).entrySet()) {
                out.put((String) e.getKey(), e.getValue());
            }
            return out;
        }
        out.put("__value__", converted);
        if (location != null) out.putAll(location);
        return out;
    }
}
