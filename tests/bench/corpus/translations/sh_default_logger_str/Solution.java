import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

class Solution {
    static String default_logger_str(Object cmd, List<Object> call_args, Boolean pid) {
        return "<Command " + repr(cmd) + (pid != null && pid ? ", pid True" : "") + ">";
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

    private static int compareText(String a, String b) {
        int n = Math.min(a.length(), b.length());
        for (int i = 0; i < n; i++) {
            char c = a.charAt(i), d = b.charAt(i);
            if (c != d) {
                boolean x = Character.isSurrogate(c), y = Character.isSurrogate(d);
                if (x != y) return x ? 1 : -1;
                return c - d;
            }
        }
        return a.length() - b.length();
    }

    private static String reprText(String s) {
        char q = s.indexOf('\'') >= 0 && s.indexOf('"') < 0 ? '"' : '\'';
        StringBuilder out = new StringBuilder().append(q);
        s.codePoints().forEach(c -> {
            if (c == q || c == '\\') out.append('\\').append((char) c);
            else if (c == '\n') out.append("\\n");
            else if (c == '\r') out.append("\\r");
            else if (c == '\t') out.append("\\t");
            else if (c == ' ' || isPrintable(c)) out.appendCodePoint(c);
            else if (c < 0x100) out.append(String.format("\\x%02x", c));
            else if (c < 0x10000) out.append(String.format("\\u%04x", c));
            else out.append(String.format("\\U%08x", c));
        });
        return out.append(q).toString();
    }

    private static boolean isPrintable(int c) {
        switch (Character.getType(c)) {
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

    private static int compareKeys(Object a, Object b) {
        boolean x = a instanceof Number, y = b instanceof Number;
        if (x && y) return new BigDecimal(a.toString()).compareTo(new BigDecimal(b.toString()));
        if (x != y) return x ? -1 : 1;
        return compareText(String.valueOf(a), String.valueOf(b));
    }

    private static String repr(Object v) {
        if (v == null) return "None";
        if (v instanceof Boolean) return (Boolean) v ? "True" : "False";
        if (v instanceof String) return reprText((String) v);
        if (v instanceof Double || v instanceof Float) return floatRepr(((Number) v).doubleValue());
        StringBuilder b = new StringBuilder();
        if (v instanceof Iterable) {
            for (Object e : (Iterable<?>) v) b.append(b.length() == 0 ? "" : ", ").append(repr(e));
            return "[" + b + "]";
        }
        if (v instanceof Map) {
            Map<?, ?> m = (Map<?, ?>) v;
            List<Object> keys = new ArrayList<>(m.keySet());
            keys.sort(Solution::compareKeys);
            for (Object k : keys) b.append(b.length() == 0 ? "" : ", ").append(repr(k)).append(": ").append(repr(m.get(k)));
            return "{" + b + "}";
        }
        return v.toString();
    }
}
