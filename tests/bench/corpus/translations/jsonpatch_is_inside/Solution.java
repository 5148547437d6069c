import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

class Solution {
    static boolean is_inside(List<Object> parts, List<Object> container) {
        if (parts.size() <= container.size()) return false;
        for (int i = 0; i < container.size(); i++) if (!same(container.get(i), parts.get(i))) return false;
        return true;
    }

    private static boolean same(Object a, Object b) {
        if (a instanceof Boolean) a = (Boolean) a ? 1 : 0;
        if (b instanceof Boolean) b = (Boolean) b ? 1 : 0;
        if (a == null || b == null) return a == b;
        if (a instanceof Number && b instanceof Number) {
            return new BigDecimal(a.toString()).compareTo(new BigDecimal(b.toString())) == 0;
        }
        if (a instanceof List && b instanceof List) {
            List<?> x = (List<?>) a, y = (List<?>) b;
            if (x.size() != y.size()) return false;
            for (int i = 0; i < x.size(); i++) if (!same(x.get(i), y.get(i))) return false;
            return true;
        }
        if (a instanceof Map && b instanceof Map) {
            Map<?, ?> x = (Map<?, ?>) a, y = (Map<?, ?>) b;
            if (x.size() != y.size()) return false;
            for (Map.Entry<?, ?> e : x.entrySet()) {
                if (!y.containsKey(e.getKey()) || !same(e.getValue(), y.get(e.getKey()))) return false;
            }
            return true;
        }
        return a.equals(b);
    }
}
