import java.math.BigInteger;
import java.util.*;
import java.util.regex.*;

class Solution {
    private static final String D = "\\p{Nd}(?:_?\\p{Nd})*+";
    private static final Pattern INT = Pattern.compile("[+-]?" + D);
    private static final Pattern FLOAT = Pattern.compile(
        "[+-]?(?:" + D + "\\.(?:" + D + ")?|\\." + D + ")(?:[eE][+-]?" + D + ")?");

    private static boolean space(char c) {
        return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0
            || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029
            || c == 0x202f || c == 0x205f || c == 0x3000;
    }

    private static String ascii(String t) {
        StringBuilder b = new StringBuilder();
        t.codePoints().forEach(cp -> {
            if (cp == '_') return;
            if (cp > 127 && Character.getType(cp) == Character.DECIMAL_DIGIT_NUMBER) {
                b.append((char) ('0' + Character.digit(cp, 10)));
            } else {
                b.appendCodePoint(cp);
            }
        });
        return b.toString();
    }

    public static Object num_type(String value) {
        int i = 0, j = value.length();
        while (i < j && space(value.charAt(i))) i++;
        while (j > i && space(value.charAt(j - 1))) j--;
        String t = value.substring(i, j);
        if (value.indexOf('.') >= 0) {
            if (!FLOAT.matcher(t).matches()) return value;
            return Double.valueOf(Double.parseDouble(ascii(t)));
        }
        if (!INT.matcher(t).matches()) return value;
        String a = ascii(t);
        if (a.startsWith("+")) a = a.substring(1);
        if ((a.startsWith("-") ? a.length() - 1 : a.length()) > 4300) return value;
        BigInteger n = new BigInteger(a);
        if (n.bitLength() <= 31) return Integer.valueOf(n.intValue());
        if (n.bitLength() <= 63) return Long.valueOf(n.longValue());
        return n;
    }
}
