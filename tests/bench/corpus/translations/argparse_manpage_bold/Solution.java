import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;

public class Solution {
    public static String bold(Object text) {
        String body = text instanceof String
            ? ((String) text).replace("\\", "\\\\").replace("-", "\\-")
            : form(text);
        return "\\fB" + body + "\\fR";
    }

    private static String form(Object v) {
        if (v == null) return "None";
        if (v instanceof Boolean) return ((Boolean) v) ? "True" : "False";
        if (v instanceof Double || v instanceof Float) return real(((Number) v).doubleValue());
        if (v instanceof Number) return v.toString();
        if (v instanceof String) return quoted((String) v);
        StringBuilder out = new StringBuilder();
        if (v instanceof List) {
            for (Object x : (List<?>) v) {
                if (out.length() > 0) out.append(", ");
                out.append(form(x));
            }
            return "[" + out + "]";
        }
        if (v instanceof Map) {
            for (Map.Entry<?, ?> e : ((Map<?, ?>) v).entrySet()) {
                if (out.length() > 0) out.append(", ");
                out.append(form(e.getKey())).append(": ").append(form(e.getValue()));
            }
            return "{" + out + "}";
        }
        return String.valueOf(v);
    }

    private static String real(double v) {
        if (Double.isNaN(v)) return "nan";
        if (Double.isInfinite(v)) return v > 0 ? "inf" : "-inf";
        if (v == 0) return 1 / v < 0 ? "-0.0" : "0.0";
        String sign = v < 0 ? "-" : "";
        double a = Math.abs(v);
        BigDecimal exact = new BigDecimal(a);
        BigDecimal d = exact;
        for (int p = 1; p <= 17; p++) {
            d = exact.round(new MathContext(p, RoundingMode.HALF_EVEN));
            if (d.doubleValue() == a) break;
        }
        d = d.stripTrailingZeros();
        String digits = d.unscaledValue().toString();
        int exp = d.precision() - d.scale() - 1;
        if (exp < -4 || exp >= 16) {
            String m = digits.length() > 1 ? digits.charAt(0) + "." + digits.substring(1) : digits;
            int size = Math.abs(exp);
            return sign + m + "e" + (exp < 0 ? "-" : "+") + (size < 10 ? "0" : "") + size;
        }
        String plain = d.toPlainString();
        return sign + (plain.indexOf('.') < 0 ? plain + ".0" : plain);
    }

    private static boolean hidden(int c) {
        switch (Character.getType(c)) {
            case Character.CONTROL:
            case Character.FORMAT:
            case Character.SURROGATE:
            case Character.PRIVATE_USE:
            case Character.UNASSIGNED:
            case Character.LINE_SEPARATOR:
            case Character.PARAGRAPH_SEPARATOR:
            case Character.SPACE_SEPARATOR:
                return c != ' ';
            default:
                return false;
        }
    }

    private static String quoted(String s) {
        char mark = s.indexOf('\'') >= 0 && s.indexOf('"') < 0 ? '"' : '\'';
        StringBuilder out = new StringBuilder();
        out.append(mark);
        for (int i = 0; i < s.length(); ) {
            int c = s.codePointAt(i);
            i += Character.charCount(c);
            if (c == '\\' || c == mark) out.append('\\').appendCodePoint(c);
            else if (c == '\n') out.append("\\n");
            else if (c == '\r') out.append("\\r");
            else if (c == '\t') out.append("\\t");
            else if (hidden(c)) {
                if (c < 0x100) out.append(String.format("\\x%02x", c));
                else if (c < 0x10000) out.append('\\').append('u').append(String.format("%04x", c));
                else out.append('\\').append('U').append(String.format("%08x", c));
            } else out.appendCodePoint(c);
        }
        return out.append(mark).toString();
    }
}
