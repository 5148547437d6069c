package touchstone;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;

/** Reads one text into a tree. */
final class Reader {
    private final String text;
    private int at;

    private Reader(String text) {
        this.text = text;
    }

    static Object decode(String text) {
        Reader reader = new Reader(text);
        Object value = reader.value();
        reader.space();
        if (reader.at != text.length()) throw reader.fail("text after the value");
        return value;
    }

    private Tree.MalformedValueError fail(String reason) {
        return new Tree.MalformedValueError(reason, at);
    }

    private void space() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
            at++;
        }
    }

    private char peek() {
        space();
        if (at >= text.length()) throw fail("the text ends too early");
        return text.charAt(at);
    }

    private void take(char c) {
        if (peek() != c) throw fail("expected " + c);
        at++;
    }

    private Object value() {
        return switch (peek()) {
            case '{' -> object();
            case '[' -> new Tree.Sequence(array());
            case '"' -> string();
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) throw fail("no value");
        at += word.length();
        return value;
    }

    private Object number() {
        int start = at;
        boolean integer = true;
        for (; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '.' || c == 'e' || c == 'E' || c == '+') integer = false;
            else if (c != '-' && (c < '0' || c > '9')) break;
        }
        String word = text.substring(start, at);
        try {
            if (integer) return Long.parseLong(word);
            return Double.parseDouble(word);
        } catch (NumberFormatException error) {
            throw fail("no number");
        }
    }

    private String string() {
        take('"');
        int start = at;
        for (; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"') return text.substring(start, at++);
            if (c == '\\') return escaped(start);
        }
        throw fail("a string without end");
    }

    private String escaped(int start) {
        StringBuilder out = new StringBuilder().append(text, start, at);
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') return out.toString();
            if (c != '\\') {
                out.append(c);
                continue;
            }
            if (at >= text.length()) break;
            c = text.charAt(at++);
            switch (c) {
                case '"', '\\', '/' -> out.append(c);
                case 'b' -> out.append('\b');
                case 'f' -> out.append('\f');
                case 'n' -> out.append('\n');
                case 'r' -> out.append('\r');
                case 't' -> out.append('\t');
                case 'u' -> out.append(unit());
                default -> throw fail("unknown escape");
            }
        }
        throw fail("a string without end");
    }

    private char unit() {
        if (at + 4 > text.length()) throw fail("a short escape");
        try {
            char unit = (char) Integer.parseInt(text, at, at + 4, 16);
            at += 4;
            return unit;
        } catch (NumberFormatException error) {
            throw fail("a bad escape");
        }
    }

    private List<Object> array() {
        List<Object> items = new ArrayList<>();
        take('[');
        if (peek() == ']') {
            at++;
            return items;
        }
        while (true) {
            items.add(value());
            if (peek() == ']') {
                at++;
                return items;
            }
            take(',');
        }
    }

    private Object object() {
        List<Tree.Pair> pairs = new ArrayList<>();
        take('{');
        if (peek() == '}') {
            at++;
            return new Tree.Map(pairs);
        }
        HashSet<String> seen = new HashSet<>();
        while (true) {
            if (peek() != '"') throw fail("expected a key");
            String key = string();
            if (!seen.add(key)) throw fail("a key occurs twice");
            take(':');
            pairs.add(new Tree.Pair(key, value()));
            if (peek() == '}') break;
            take(',');
        }
        at++;
        Tree.Map node = new Tree.Map(pairs);
        return seen.contains("$") ? tagged(node) : node;
    }

    private Object tagged(Tree.Map node) {
        if (!(node.get("$") instanceof String kind)) throw fail("a tag that is no text");
        Object v = node.get("v");
        return switch (kind) {
            case "int" -> new BigInteger(string(v));
            case "float" -> switch (string(v)) {
                case "nan" -> Double.NaN;
                case "inf" -> Double.POSITIVE_INFINITY;
                case "-inf" -> Double.NEGATIVE_INFINITY;
                default -> throw fail("not nan, inf or -inf");
            };
            case "str" -> units(items(v));
            case "tuple", "deque" -> new Tree.Sequence(items(v));
            case "set", "frozenset" -> new Tree.Set(items(v));
            case "bytes", "bytearray" -> new Tree.Bytes(Base64.getDecoder().decode(string(v)));
            case "map", "ordered_map", "counter", "default_map" -> new Tree.Map(pairs(v));
            case "record" -> new Tree.Record(pairs(node.get("fields")));
            default -> throw new Tree.ArgumentError("Java has no " + kind);
        };
    }

    private String string(Object v) {
        if (v instanceof String found) return found;
        throw fail("v is no text");
    }

    private List<Object> items(Object v) {
        if (v instanceof Tree.Sequence sequence) return sequence.items();
        throw fail("v is not an array");
    }

    private List<Tree.Pair> pairs(Object v) {
        List<Tree.Pair> pairs = new ArrayList<>();
        for (Object item : items(v)) {
            List<Object> pair = items(item);
            if (pair.size() != 2) throw fail("not a pair of key and value");
            pairs.add(new Tree.Pair(pair.get(0), pair.get(1)));
        }
        return pairs;
    }

    private String units(List<Object> items) {
        StringBuilder out = new StringBuilder();
        for (Object item : items) {
            if (!(item instanceof Long unit) || unit < 0 || unit > 0xFFFF) throw fail("not UTF-16 code units");
            out.append((char) unit.intValue());
        }
        return out.toString();
    }
}
