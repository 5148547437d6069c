import java.math.*;
import java.util.*;

public class Solution {
    public static String gedcom_file_repr(List<Object> root_elements) {
        StringBuilder out = new StringBuilder("GedcomFile(\n");
        boolean first = true;
        for (Object e : root_elements) {
            if (!first) out.append(",\n");
            first = false;
            repr(e, out);
        }
        return out.append(")").toString();
    }

    private static void repr(Object v, StringBuilder out) {
        if (v == null) out.append("None");
        else if (v instanceof Boolean) out.append((Boolean) v ? "True" : "False");
        else if (v instanceof Double || v instanceof Float) out.append(num(((Number) v).doubleValue()));
        else if (v instanceof Number) out.append(v.toString());
        else if (v instanceof String) text((String) v, out);
        else if (v instanceof Collection) {
            out.append('[');
            boolean first = true;
            for (Object e : (Collection<?>) v) {
                if (!first) out.append(", ");
                first = false;
                repr(e, out);
            }
            out.append(']');
        } else if (v instanceof Map) {
            List<Map.Entry<?, ?>> list = new ArrayList<>(((Map<?, ?>) v).entrySet());
            list.sort((a, b) -> compareKeys(a.getKey(), b.getKey()));
            out.append('{');
            boolean first = true;
            for (Map.Entry<?, ?> e : list) {
                if (!first) out.append(", ");
                first = false;
                repr(e.getKey(), out);
                out.append(": ");
                repr(e.getValue(), out);
            }
            out.append('}');
        } else out.append(v.toString());
    }

    private static int compareKeys(Object a, Object b) {
        if (a instanceof String && b instanceof String) {
            int[] x = ((String) a).codePoints().toArray();
            int[] y = ((String) b).codePoints().toArray();
            for (int i = 0; i < x.length && i < y.length; i++) {
                if (x[i] != y[i]) return Integer.compare(x[i], y[i]);
            }
            return Integer.compare(x.length, y.length);
        }
        if (a instanceof Number && b instanceof Number) {
            return new BigDecimal(a.toString()).compareTo(new BigDecimal(b.toString()));
        }
        return Integer.compare(rank(a), rank(b));
    }

    private static int rank(Object k) {
        return k instanceof Number ? 0 : k instanceof String ? 1 : 2;
    }

    private static void text(String s, StringBuilder out) {
        char quote = s.indexOf('\'') >= 0 && s.indexOf('"') < 0 ? '"' : '\'';
        out.append(quote);
        for (int i = 0; i < s.length(); ) {
            int cp = s.codePointAt(i);
            i += Character.charCount(cp);
            if (cp == '\\' || cp == quote) out.append('\\').append((char) cp);
            else if (cp == '\n') out.append("\\n");
            else if (cp == '\r') out.append("\\r");
            else if (cp == '\t') out.append("\\t");
            else if (cp == ' ' || printable(cp)) out.appendCodePoint(cp);
            else if (cp <= 0xff) out.append('\\').append(String.format("x%02x", cp));
            else if (cp <= 0xffff) out.append('\\').append(String.format("u%04x", cp));
            else out.append('\\').append(String.format("U%08x", cp));
        }
        out.append(quote);
    }

    private static boolean printable(int cp) {
        switch (Character.getType(cp)) {
            case Character.CONTROL:
            case Character.FORMAT:
            case Character.SURROGATE:
            case Character.PRIVATE_USE:
            case Character.UNASSIGNED:
            case Character.LINE_SEPARATOR:
            case Character.PARAGRAPH_SEPARATOR:
            case Character.SPACE_SEPARATOR:
                return false;
            default:
                return true;
        }
    }

    private static String num(double x) {
        if (Double.isNaN(x)) return "nan";
        if (Double.isInfinite(x)) return x > 0 ? "inf" : "-inf";
        if (x == 0) return 1 / x < 0 ? "-0.0" : "0.0";
        String sign = x < 0 ? "-" : "";
        double a = Math.abs(x);
        BigDecimal exact = new BigDecimal(a);
        BigDecimal d = exact;
        for (int p = 1; p <= 17; p++) {
            d = exact.round(new MathContext(p, RoundingMode.HALF_EVEN));
            if (d.doubleValue() == a) break;
        }
        d = d.stripTrailingZeros();
        String digits = d.unscaledValue().toString();
        int exp = digits.length() - 1 - d.scale();
        if (exp < -4 || exp >= 16) {
            String rest = digits.length() > 1 ? "." + digits.substring(1) : "";
            String e = String.valueOf(Math.abs(exp));
            if (e.length() < 2) e = "0" + e;
            return sign + digits.charAt(0) + rest + "e" + (exp < 0 ? "-" : "+") + e;
        }
        StringBuilder b = new StringBuilder(sign);
        if (exp < 0) {
            b.append("0.");
            for (int i = 1; i < -exp; i++) b.append('0');
            return b.append(digits).toString();
        }
        for (int i = 0; i <= exp; i++) b.append(i < digits.length() ? digits.charAt(i) : '0');
        b.append('.');
        b.append(exp + 1 < digits.length() ? digits.substring(exp + 1) : "0");
        return b.toString();
    }
}
