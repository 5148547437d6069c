import java.math.BigInteger;
import java.util.List;
import java.util.Map;

public class Solution {
    public static double sorter(List<Object> four_item) {
        Object third = four_item.get(2);
        if (empty(third)) return minus(four_item.get(3), 200);
        double weight = minus(third, 0);
        if (weight < 10) return minus(third, 100);
        Object first = four_item.get(0);
        if (!(first instanceof String)) throw new IllegalArgumentException("the first item must be a text");
        return ((String) first).startsWith("auto") ? minus(third, 100) : weight;
    }

    private static boolean empty(Object v) {
        if (v == null) return true;
        if (v instanceof Boolean) return !((Boolean) v);
        if (v instanceof BigInteger) return ((BigInteger) v).signum() == 0;
        if (v instanceof Number) return ((Number) v).doubleValue() == 0;
        if (v instanceof String) return ((String) v).isEmpty();
        if (v instanceof List) return ((List<?>) v).isEmpty();
        if (v instanceof Map) return ((Map<?, ?>) v).isEmpty();
        return false;
    }

    private static double minus(Object v, int n) {
        if (v instanceof BigInteger) return ((BigInteger) v).subtract(BigInteger.valueOf(n)).doubleValue();
        if (v instanceof Integer || v instanceof Long) {
            return BigInteger.valueOf(((Number) v).longValue()).subtract(BigInteger.valueOf(n)).doubleValue();
        }
        if (v instanceof Number) return ((Number) v).doubleValue() - n;
        throw new IllegalArgumentException("a number is expected");
    }
}
