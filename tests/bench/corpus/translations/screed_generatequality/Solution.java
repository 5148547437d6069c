import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.*;

class Solution {
    private static final int MAX = 80;

    private static String wrap(String t) {
        int[] cps = t.codePoints().toArray();
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < cps.length; i++) {
            if (i > 0 && i % MAX == 0) b.append('\n');
            b.appendCodePoint(cps[i]);
        }
        return b.toString();
    }

    private static boolean printable(int cp) {
        if (cp == ' ') return true;
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

    private static String reprText(String t) {
        char q = t.indexOf('\'') >= 0 && t.indexOf('"') < 0 ? '"' : '\'';
        StringBuilder b = new StringBuilder();
        b.append(q);
        for (int cp : t.codePoints().toArray()) {
            if (cp == q || cp == '\\') b.append('\\').append((char) cp);
            else if (cp == '\n') b.append("\\n");
            else if (cp == '\r') b.append("\\r");
            else if (cp == '\t') b.append("\\t");
            else if (!printable(cp)) {
                if (cp <= 0xff) b.append(String.format("\\x%02x", cp));
                else if (cp <= 0xffff) b.append('\\').append(String.format("u%04x", cp));
                else b.append(String.format("\\U%08x", cp));
            } else b.appendCodePoint(cp);
        }
        return b.append(q).toString();
    }

    private static String reprDouble(double d) {
        if (Double.isNaN(d)) return "nan";
        if (Double.isInfinite(d)) return d > 0 ? "inf" : "-inf";
        if (d == 0) return 1 / d < 0 ? "-0.0" : "0.0";
        double a = Math.abs(d);
        BigDecimal x = new BigDecimal(a);
        for (int p = 1; p <= 17; p++) {
            BigDecimal r = new BigDecimal(a).round(new MathContext(p, RoundingMode.HALF_EVEN));
            if (r.doubleValue() == a) {
                x = r;
                break;
            }
        }
        x = x.stripTrailingZeros();
        String digits = x.unscaledValue().toString();
        int exp = digits.length() - 1 - x.scale();
        String sign = d < 0 ? "-" : "";
        if (exp >= -4 && exp < 16) {
            String p = x.toPlainString();
            return sign + (p.indexOf('.') < 0 ? p + ".0" : p);
        }
        String m = digits.length() > 1 ? digits.charAt(0) + "." + digits.substring(1) : digits;
        return sign + m + "e" + (exp < 0 ? "-" : "+") + String.format("%02d", Math.abs(exp));
    }

    private static String repr(Object v) {
        if (v == null) return "None";
        if (v instanceof Boolean) return (Boolean) v ? "True" : "False";
        if (v instanceof Double || v instanceof Float) return reprDouble(((Number) v).doubleValue());
        if (v instanceof Number) return v.toString();
        if (v instanceof String) return reprText((String) v);
        if (v instanceof List) {
            StringJoiner j = new StringJoiner(", ", "[", "]");
            for (Object o : (List<?>) v) j.add(repr(o));
            return j.toString();
        }
        if (v instanceof Map) {
            StringJoiner j = new StringJoiner(", ", "{", "}");
            for (Map.Entry<?, ?> e : ((Map<?, ?>) v).entrySet()) j.add(repr(e.getKey()) + ": " + repr(e.getValue()));
            return j.toString();
        }
        return v.toString();
    }

    public static String GenerateQuality(Map<String, Object> value) {
        if (value.containsKey("quality")) {
            Object q = value.get("quality");
            if (q instanceof String) return wrap((String) q);
            if (q instanceof List && ((List<?>) q).isEmpty()) return "";
            if (q instanceof Map && ((Map<?, ?>) q).isEmpty()) return "";
            throw new IllegalArgumentException("quality is not a text");
        }
        if (!value.containsKey("sequence")) throw new NoSuchElementException("missing key: sequence");
        Object s = value.get("sequence");
        String text = s instanceof String ? (String) s : repr(s);
        int n = text.codePointCount(0, text.length());
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < n; i++) b.append('"');
        return wrap(b.toString());
    }
}
