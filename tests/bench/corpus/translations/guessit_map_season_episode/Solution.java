import java.math.*;
import java.util.*;

public class Solution {
    public static Object map_season_episode(Object value) {
        if (!(value instanceof List)) return convert(value);
        List<Object> found = new ArrayList<>();
        for (Object e : (List<?>) value) {
            Object n = convert(e);
            if (n != null) found.add(n);
        }
        if (found.isEmpty()) return null;
        return found.size() == 1 ? found.get(0) : found;
    }

    private static Object small(BigInteger n) {
        if (n.bitLength() <= 31) return n.intValue();
        if (n.bitLength() <= 63) return n.longValue();
        return n;
    }

    private static Object convert(Object v) {
        if (v instanceof Double || v instanceof Float) {
            double d = ((Number) v).doubleValue();
            if (Double.isNaN(d)) return null;
            if (Double.isInfinite(d)) throw new ArithmeticException("overflow: an infinite number");
            return small(new BigDecimal(d).toBigInteger());
        }
        if (v instanceof Number) return v;
        if (v instanceof String) return parse((String) v);
        return null;
    }

    private static boolean blank(int c) {
        return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680
            || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f
            || c == 0x205f || c == 0x3000;
    }

    private static Object parse(String s) {
        int[] t = s.codePoints().toArray();
        int i = 0;
        int end = t.length;
        while (i < end && blank(t[i])) i++;
        while (end > i && blank(t[end - 1])) end--;
        StringBuilder out = new StringBuilder();
        if (i < end && (t[i] == '+' || t[i] == '-')) {
            if (t[i] == '-') out.append('-');
            i++;
        }
        boolean digitBefore = false;
        for (; i < end; i++) {
            if (t[i] == '_') {
                if (!digitBefore) return null;
                digitBefore = false;
            } else if (Character.isDigit(t[i])) {
                out.append((char) ('0' + Character.digit(t[i], 10)));
                digitBefore = true;
            } else {
                return null;
            }
        }
        if (!digitBefore) return null;
        return small(new BigInteger(out.toString()));
    }
}
