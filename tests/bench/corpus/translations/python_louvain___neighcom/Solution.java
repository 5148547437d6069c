import java.math.BigInteger;
import java.util.*;

public class Solution {
    private static Object get(Map<?, ?> m, Object k) {
        if (!m.containsKey(k)) throw new NoSuchElementException("missing key " + k);
        return m.get(k);
    }

    private static boolean isInteger(Object v) {
        return v instanceof Integer || v instanceof Long || v instanceof Short || v instanceof Byte
            || v instanceof BigInteger;
    }

    private static boolean same(Object a, Object b) {
        if (isInteger(a) && isInteger(b)) return new BigInteger(a.toString()).equals(new BigInteger(b.toString()));
        return Objects.equals(a, b);
    }

    private static Object add(Object a, Object b) {
        if (a instanceof Double || b instanceof Double) {
            return ((Number) a).doubleValue() + ((Number) b).doubleValue();
        }
        return Math.addExact((Long) a, (Long) b);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    public static Map<Object, Long> neighcom(Object node, Object graph, Map<String, Map<String, Object>> status, String weight_key) {
        Map<?, ?> links;
        if (graph instanceof List) {
            List<?> l = (List<?>) graph;
            if (!isInteger(node)) throw new ClassCastException("node is no position");
            long at = new BigInteger(node.toString()).longValueExact();
            if (at < 0) at += l.size();
            if (at < 0 || at >= l.size()) throw new IndexOutOfBoundsException("node is not in graph");
            links = (Map<?, ?>) l.get((int) at);
        } else {
            links = (Map<?, ?>) get((Map<?, ?>) graph, node);
        }
        Map<Object, Object> out = new LinkedHashMap<>();
        for (Map.Entry<?, ?> e : links.entrySet()) {
            Object name = e.getKey();
            if (same(name, node)) continue;
            Map<?, ?> data = (Map<?, ?>) e.getValue();
            Object weight = data.containsKey(weight_key) ? data.get(weight_key) : (Object) 1L;
            if (weight instanceof Boolean) weight = ((Boolean) weight) ? 1L : 0L;
            else if (isInteger(weight)) weight = new BigInteger(weight.toString()).longValueExact();
            else if (weight instanceof Number) weight = ((Number) weight).doubleValue();
            else throw new ClassCastException("weight is not a number");
            Object com = get((Map<?, ?>) get((Map<?, ?>) status, "node2com"), name);
            if (com instanceof Map || com instanceof Collection) {
                throw new ClassCastException("community is a mapping or list");
            }
            Object before = out.containsKey(com) ? out.get(com) : (Object) 0L;
            out.put(com, add(before, weight));
        }
        return (Map<Object, Long>) (Map) out;
    }
}
