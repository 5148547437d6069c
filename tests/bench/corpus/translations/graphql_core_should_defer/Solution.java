import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.*;

public class Solution {
    private static boolean numEqual(Number a, Number b) {
        double x = a.doubleValue(), y = b.doubleValue();
        if (Double.isNaN(x) || Double.isNaN(y)) return false;
        if (Double.isInfinite(x) || Double.isInfinite(y)) {
            if (a instanceof Double && b instanceof Double) return x == y;
            if (a instanceof BigInteger && b instanceof BigInteger) return a.equals(b);
            return false;
        }
        return dec(a).compareTo(dec(b)) == 0;
    }

    private static BigDecimal dec(Number n) {
        if (n instanceof BigInteger) return new BigDecimal((BigInteger) n);
        if (n instanceof Double || n instanceof Float) return new BigDecimal(n.doubleValue());
        return BigDecimal.valueOf(n.longValue());
    }

    private static boolean equal(Object a, Object b) {
        if (a == null || b == null) return a == b;
        if (a instanceof Number && b instanceof Number) return numEqual((Number) a, (Number) b);
        if (a instanceof List && b instanceof List) {
            List<?> x = (List<?>) a, y = (List<?>) b;
            if (x.size() != y.size()) return false;
            for (int i = 0; i < x.size(); i++) {
                if (!equal(x.get(i), y.get(i))) return false;
            }
            return true;
        }
        if (a instanceof Map && b instanceof Map) {
            Map<?, ?> x = (Map<?, ?>) a, y = (Map<?, ?>) b;
            if (x.size() != y.size()) return false;
            for (Map.Entry<?, ?> e : x.entrySet()) {
                if (!y.containsKey(e.getKey()) || !equal(e.getValue(), y.get(e.getKey()))) return false;
            }
            return true;
        }
        return a.equals(b);
    }

    private static boolean contains(Object parent, Object item) {
        if (parent instanceof String) {
            return item instanceof String && ((String) parent).contains((String) item);
        }
        Collection<?> members;
        if (parent instanceof Map) members = ((Map<?, ?>) parent).keySet();
        else members = (Collection<?>) parent;
        for (Object m : members) {
            if (equal(m, item)) return true;
        }
        return false;
    }

    public static boolean should_defer(Object parent_defer_usages, List<Object> defer_usage_set) {
        if (parent_defer_usages == null) return true;
        for (Object item : defer_usage_set) {
            if (!contains(parent_defer_usages, item)) return true;
        }
        return false;
    }
}
