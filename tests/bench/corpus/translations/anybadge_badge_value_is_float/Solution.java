import java.math.BigDecimal;
import java.math.BigInteger;

public class Solution {
    public static boolean badge_value_is_float(Object value) {
        if (value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte) {
            return !held(BigInteger.valueOf(((Number) value).longValue()));
        }
        if (value instanceof BigInteger) {
            BigInteger b = (BigInteger) value;
            if (Double.isInfinite(b.doubleValue())) throw new ArithmeticException("integer too large to convert to float");
            return !held(b);
        }
        if (value instanceof Double || value instanceof Float) {
            double d = ((Number) value).doubleValue();
            if (Double.isNaN(d)) return true;
            if (Double.isInfinite(d)) throw new ArithmeticException("cannot convert float infinity to integer");
            return d != Math.rint(d);
        }
        if (!(value instanceof String)) return false;
        return text((String) value);
    }

    private static boolean held(BigInteger b) {
        double d = b.doubleValue();
        return !Double.isInfinite(d) && new BigDecimal(d).toBigInteger().equals(b);
    }

    private static boolean space(int c) {
        return (c >= 9 && c <= 13) || c == 32 || c == 0x85 || c == 0xa0 || c == 0x1680
            || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
    }

    private static boolean digit(int c) {
        return Character.getType(c) == Character.DECIMAL_DIGIT_NUMBER;
    }

    // Position after a run of digits with single underscores between them, or start if there is none.
    private static int run(int[] s, int start, int end) {
        int i = start;
        while (i < end) {
            if (digit(s[i])) i++;
            else if (s[i] == '_' && i > start && i + 1 < end && digit(s[i - 1]) && digit(s[i + 1])) i++;
            else break;
        }
        return i;
    }

    private static boolean text(String value) {
        int[] s = value.codePoints().toArray();
        int from = 0, end = s.length;
        while (from < end && space(s[from])) from++;
        while (end > from && space(s[end - 1])) end--;
        if (from < end && (s[from] == '+' || s[from] == '-')) from++;
        StringBuilder word = new StringBuilder();
        boolean ascii = true;
        for (int i = from; i < end; i++) {
            if (s[i] > 127) ascii = false;
            word.appendCodePoint(s[i]);
        }
        if (ascii) {
            String w = word.toString();
            if (w.equalsIgnoreCase("inf") || w.equalsIgnoreCase("infinity") || w.equalsIgnoreCase("nan")) return true;
        }
        int i = run(s, from, end);
        boolean before = i > from;
        if (before && i == end) {
            StringBuilder ds = new StringBuilder();
            for (int k = from; k < end; k++) {
                if (s[k] == '_') continue;
                int d = Character.digit(s[k], 10);
                if (d == 0 && ds.length() == 0) continue;
                ds.append((char) ('0' + d));
            }
            if (ds.length() == 0) return false;
            if (ds.length() > 400) return true;
            return !held(new BigInteger(ds.toString()));
        }
        boolean after = false;
        if (i < end && s[i] == '.') {
            int j = run(s, i + 1, end);
            after = j > i + 1;
            i = j;
        }
        if (!before && !after) return false;
        if (i < end && (s[i] == 'e' || s[i] == 'E')) {
            i++;
            if (i < end && (s[i] == '+' || s[i] == '-')) i++;
            int j = run(s, i, end);
            if (j == i) return false;
            i = j;
        }
        return i == end;
    }
}
