import java.util.*;

class Solution {
    private static boolean truthy(Object v) {
        if (v == null) return false;
        if (v instanceof Boolean) return (Boolean) v;
        if (v instanceof String) return !((String) v).isEmpty();
        if (v instanceof java.math.BigInteger) return ((java.math.BigInteger) v).signum() != 0;
        if (v instanceof Number) return ((Number) v).doubleValue() != 0.0;
        if (v instanceof Collection) return !((Collection<?>) v).isEmpty();
        if (v instanceof Map) return !((Map<?, ?>) v).isEmpty();
        return true;
    }

    public static List<List<Object>> split_words(List<Object> entries) {
        List<Object> word = new ArrayList<>();
        List<Object> num = new ArrayList<>();
        for (Object e : entries) {
            if (e instanceof String) {
                word.add(e);
                continue;
            }
            Map<?, ?> m = (Map<?, ?>) e;
            if (!m.containsKey("value")) throw new NoSuchElementException("missing key: value");
            Object value = m.get("value");
            word.add(value);
            if (truthy(m.get("numfirst"))) num.add(value);
        }
        List<List<Object>> out = new ArrayList<>();
        out.add(word);
        out.add(num);
        return out;
    }
}
