import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

class Solution {
    static String standardise_name(String name) {
        String rational = numericToRational(name);
        if (rational != null) return rational;
        StringBuilder b = new StringBuilder();
        name.codePoints().filter(c -> "_- ".indexOf(c) < 0).forEach(b::appendCodePoint);
        return b.toString().toUpperCase(Locale.ROOT);
    }

    private static boolean isSpace(int c) {
        return (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680
            || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
    }

    private static boolean isNumberSpace(char c) {
        return isSpace(c) && !(c >= 0x1c && c <= 0x1f);
    }

    // Strips white space, and turns decimal digits of any script into 0-9.
    private static String numText(String s) {
        int i = 0, j = s.length();
        while (i < j && isNumberSpace(s.charAt(i))) i++;
        while (j > i && isNumberSpace(s.charAt(j - 1))) j--;
        StringBuilder b = new StringBuilder();
        s.substring(i, j).codePoints().forEach(c -> {
            if (Character.getType(c) == Character.DECIMAL_DIGIT_NUMBER) b.append((char) ('0' + Character.digit(c, 10)));
            else b.appendCodePoint(c);
        });
        return b.toString();
    }

    private static final Pattern NUMBER = Pattern.compile(
        "[+-]?(?:[0-9]+(?:_[0-9]+)*(?:\\.(?:[0-9]+(?:_[0-9]+)*)?)?|\\.[0-9]+(?:_[0-9]+)*)(?:[eE][+-]?[0-9]+(?:_[0-9]+)*)?");

    private static double parseNumber(String s) {
        String t = numText(s);
        String w = t.toLowerCase(Locale.ROOT);
        double sign = 1;
        if (w.startsWith("-") || w.startsWith("+")) {
            if (w.charAt(0) == '-') sign = -1;
            w = w.substring(1);
        }
        if (w.equals("nan")) return Double.NaN;
        if (w.equals("inf") || w.equals("infinity")) return sign * Double.POSITIVE_INFINITY;
        if (!NUMBER.matcher(t).matches()) throw new NumberFormatException(s);
        return Double.parseDouble(t.replace("_", ""));
    }

    // The rational text, or null where the text is no number.
    private static String numericToRational(String text) {
        String sign = text.startsWith("-") ? "-" : "";
        String[] parts = text.substring(sign.length()).split("/", -1);
        if (parts.length > 2) return null;
        double value;
        try {
            value = parseNumber(parts[0]);
            if (parts.length == 2) {
                double b = parseNumber(parts[1]);
                if (b == 0) return null;
                value /= b;
            }
        } catch (NumberFormatException e) {
            return null;
        }
        if (Double.isNaN(value) || Double.isInfinite(value)) return null;
        BigInteger[] r = floatToRational(value);
        String result = sign + r[0] + "/" + r[1];
        return result.endsWith("/1") ? result.substring(0, result.length() - 2) : result;
    }

    private static BigInteger[] floatToRational(double flt) {
        List<BigInteger> parts = new ArrayList<>();
        double x = flt;
        while (true) {
            BigInteger whole = new BigDecimal(x).toBigInteger();
            double error = x - whole.doubleValue();
            parts.add(whole);
            if (Math.abs(error) < 0.0001) break;
            if (parts.size() > 990) throw new ArithmeticException("no rational found");
            x = 1 / error;
        }
        BigInteger num = parts.get(parts.size() - 1), den = BigInteger.ONE;
        for (int i = parts.size() - 2; i >= 0; i--) {
            BigInteger next = parts.get(i).multiply(num).add(den);
            den = num;
            num = next;
        }
        return new BigInteger[] {num, den};
    }
}
