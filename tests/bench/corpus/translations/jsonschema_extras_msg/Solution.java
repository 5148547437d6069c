import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

public class Solution {
    private static boolean isPrintable(int cp) {
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

    private static void reprText(String text, StringBuilder out) {
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        out.append(quote);
        int i = 0;
        while (i < text.length()) {
            int cp = text.codePointAt(i);
            i += Character.charCount(cp);
            if (cp == quote || cp == '\\') out.append('\\').append((char) cp);
            else if (cp == '\n') out.append("\\n");
            else if (cp == '\r') out.append("\\r");
            else if (cp == '\t') out.append("\\t");
            else if (isPrintable(cp)) out.appendCodePoint(cp);
            else if (cp <= 0xff) out.append('\\').append('x').append(String.format("%02x", cp));
            else if (cp <= 0xffff) out.append('\\').append('u').append(String.format("%04x", cp));
            else out.append('\\').append('U').append(String.format("%08x", cp));
        }
        out.append(quote);
    }

    private static int compareTexts(String a, String b) {
        int i = 0;
        int j = 0;
        while (i < a.length() && j < b.length()) {
            int x = a.codePointAt(i);
            int y = b.codePointAt(j);
            if (x != y) return Integer.compare(x, y);
            i += Character.charCount(x);
            j += Character.charCount(y);
        }
        return Integer.compare(a.length() - i, b.length() - j);
    }

    private static int compareKeys(Object a, Object b) {
        boolean ta = a instanceof String;
        boolean tb = b instanceof String;
        if (ta && tb) return compareTexts((String) a, (String) b);
        if (ta != tb) return ta ? 1 : -1;
        if (a instanceof Number && b instanceof Number) {
            return new BigInteger(a.toString()).compareTo(new BigInteger(b.toString()));
        }
        return 0;
    }

    private static void repr(Object value, StringBuilder out) {
        if (value == null) {
            out.append("None");
        } else if (value instanceof Boolean) {
            out.append((Boolean) value ? "True" : "False");
        } else if (value instanceof String) {
            reprText((String) value, out);
        } else if (value instanceof List) {
            out.append('[');
            boolean first = true;
            for (Object item : (List<?>) value) {
                if (!first) out.append(", ");
                first = false;
                repr(item, out);
            }
            out.append(']');
        } else if (value instanceof Map) {
            List<Map.Entry<?, ?>> entries = new ArrayList<>();
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) entries.add(entry);
            entries.sort((p, q) -> compareKeys(p.getKey(), q.getKey()));
            out.append('{');
            boolean first = true;
            for (Map.Entry<?, ?> entry : entries) {
                if (!first) out.append(", ");
                first = false;
                repr(entry.getKey(), out);
                out.append(": ");
                repr(entry.getValue(), out);
            }
            out.append('}');
        } else {
            out.append(value.toString());
        }
    }

    public static List<String> extras_msg(List<Object> extras) {
        StringBuilder out = new StringBuilder();
        boolean first = true;
        for (Object extra : extras) {
            if (!first) out.append(", ");
            first = false;
            repr(extra, out);
        }
        List<String> result = new ArrayList<>();
        result.add(out.toString());
        result.add(extras.size() == 1 ? "was" : "were");
        return result;
    }
}
