import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;

public class Solution {
    // Whole numbers are held as BigInteger (exact), all others as Double.
    public static long orientation(List<Double> p, List<Double> q, List<Double> r) {
        Object px = lift(p, 0), py = lift(p, 1);
        Object qx = lift(q, 0), qy = lift(q, 1);
        Object rx = lift(r, 0), ry = lift(r, 1);
        Object value = minus(times(minus(qy, py), minus(rx, qx)), times(minus(qx, px), minus(ry, qy)));
        if (value instanceof BigInteger) {
            int sign = ((BigInteger) value).signum();
            return sign == 0 ? 0 : sign > 0 ? 1 : 2;
        }
        double d = (Double) value;
        return d == 0 ? 0 : d > 0 ? 1 : 2;
    }

    private static Object lift(List<?> point, int i) {
        if (point.size() < 2) throw new IllegalArgumentException("a point needs two coordinates");
        Object x = point.get(i);
        if (x instanceof BigInteger) return x;
        if (x instanceof Integer || x instanceof Long) return BigInteger.valueOf(((Number) x).longValue());
        double d = ((Number) x).doubleValue();
        if (!Double.isNaN(d) && !Double.isInfinite(d) && d == Math.rint(d)) return new BigDecimal(d).toBigInteger();
        return d;
    }

    private static Object minus(Object a, Object b) {
        if (a instanceof BigInteger && b instanceof BigInteger) return ((BigInteger) a).subtract((BigInteger) b);
        return ((Number) a).doubleValue() - ((Number) b).doubleValue();
    }

    private static Object times(Object a, Object b) {
        if (a instanceof BigInteger && b instanceof BigInteger) return ((BigInteger) a).multiply((BigInteger) b);
        return ((Number) a).doubleValue() * ((Number) b).doubleValue();
    }
}
