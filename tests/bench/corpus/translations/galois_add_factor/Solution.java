import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public class Solution {
    private static BigInteger big(Object x) {
        if (x instanceof BigInteger) return (BigInteger) x;
        return BigInteger.valueOf(((Number) x).longValue());
    }

    private static Object narrow(BigInteger x) {
        if (x.bitLength() <= 31) return x.intValue();
        if (x.bitLength() <= 63) return x.longValue();
        return x;
    }

    private static boolean same(Object x, long factor) {
        if (x instanceof Double || x instanceof Float) {
            double d = ((Number) x).doubleValue();
            return d == Math.rint(d) && d == (double) factor;
        }
        if (x instanceof BigInteger) return x.equals(BigInteger.valueOf(factor));
        if (x instanceof Number) return ((Number) x).longValue() == factor;
        return false;
    }

    private static Object plusOne(Object x) {
        if (x instanceof Double || x instanceof Float) return ((Number) x).doubleValue() + 1.0;
        return narrow(big(x).add(BigInteger.ONE));
    }

    public static Map<String, Object> add_factor(Map<String, Object> row, long factor) {
        Map<String, Object> result = new LinkedHashMap<>(row);
        List<Object> factors = null;
        if (row.get("factors") instanceof List) {
            factors = new ArrayList<>((List<?>) row.get("factors"));
            result.put("factors", factors);
        }
        BigInteger composite = big(row.get("composite"));
        BigInteger f = BigInteger.valueOf(factor);
        if (composite.remainder(f).signum() != 0) {
            return result;
        }
        if (composite.signum() == 0 || factor == 1 || factor == -1) {
            throw new IllegalArgumentException("the value can be divided without end");
        }
        if (factors == null) {
            throw new IllegalArgumentException("no factors");
        }
        long index = factor < 0 ? factor + factors.size() : factor;
        while (composite.remainder(f).signum() == 0) {
            composite = composite.divide(f);
            if (index < 0 || index >= factors.size()) {
                throw new IndexOutOfBoundsException("factor " + factor);
            }
            // the position is the factor itself; a factor already listed is counted up, else it starts at 1
            boolean listed = false;
            for (Object x : factors) {
                if (same(x, factor)) {
                    listed = true;
                    break;
                }
            }
            int at = (int) index;
            factors.set(at, listed ? plusOne(factors.get(at)) : (Object) Integer.valueOf(1));
        }
        result.put("composite", narrow(composite));
        return result;
    }
}
