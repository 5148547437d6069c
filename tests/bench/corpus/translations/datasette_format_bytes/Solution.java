import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Pattern;

class Solution {
    static String format_bytes(String bytes) {
        double size = parseNumber(bytes);
        if (size < 1024) return new BigDecimal(size).toBigInteger() + " bytes";
        String unit = "";
        size /= 1024;
        for (String u : new String[] {"KB", "MB", "GB", "TB"}) {
            unit = u;
            if (size < 1024) break;
            size /= 1024;
        }
        if (!Double.isNaN(size) && !Double.isInfinite(size)) {
            size = new BigDecimal(size).setScale(1, RoundingMode.HALF_EVEN).doubleValue();
        }
        return floatRepr(size) + " " + unit;
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

    private static String floatRepr(double d) {
        if (Double.isNaN(d)) return "nan";
        if (Double.isInfinite(d)) return d > 0 ? "inf" : "-inf";
        if (d == 0) return 1 / d < 0 ? "-0.0" : "0.0";
        BigDecimal b = new BigDecimal(Double.toString(Math.abs(d))).stripTrailingZeros();
        String digits = b.unscaledValue().toString();
        int exp = digits.length() - b.scale() - 1;
        String s;
        if (exp < -4 || exp >= 16) {
            int e = Math.abs(exp);
            s = digits.charAt(0) + (digits.length() > 1 ? "." + digits.substring(1) : "")
                + "e" + (exp < 0 ? "-" : "+") + (e < 10 ? "0" : "") + e;
        } else {
            s = b.toPlainString();
            if (s.indexOf('.') < 0) s += ".0";
        }
        return d < 0 ? "-" + s : s;
    }
}
