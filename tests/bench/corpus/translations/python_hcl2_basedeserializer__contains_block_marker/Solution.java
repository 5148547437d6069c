import java.math.*;
import java.util.*;

public class Solution {
    public static boolean base_deserializer_contains_block_marker(Map<String, Object> obj) {
        Deque<Map<?, ?>> stack = new ArrayDeque<>();
        stack.push(obj);
        while (!stack.isEmpty()) {
            for (Map.Entry<?, ?> entry : stack.pop().entrySet()) {
                Object v = entry.getValue();
                if ("__is_block__".equals(entry.getKey()) && truthy(v)) return true;
                if (v instanceof List) {
                    for (Object e : (List<?>) v) if (e instanceof Map) stack.push((Map<?, ?>) e);
                } else if (v instanceof Map) {
                    stack.push((Map<?, ?>) v);
                }
            }
        }
        return false;
    }

    private static boolean truthy(Object v) {
        if (v == null) return false;
        if (v instanceof Boolean) return (Boolean) v;
        if (v instanceof BigInteger) return ((BigInteger) v).signum() != 0;
        if (v instanceof Double || v instanceof Float) return ((Number) v).doubleValue() != 0.0;
        if (v instanceof Number) return ((Number) v).longValue() != 0;
        if (v instanceof String) return !((String) v).isEmpty();
        if (v instanceof Collection) return !((Collection<?>) v).isEmpty();
        if (v instanceof Map) return !((Map<?, ?>) v).isEmpty();
        return true;
    }
}
