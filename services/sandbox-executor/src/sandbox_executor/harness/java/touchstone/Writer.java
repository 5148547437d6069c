package touchstone;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.BaseStream;

/** Writes any value as one text in the portable form. */
final class Writer {
    private static final int MAX_DEPTH = 200;
    private static final int MAX_NODES = 4_000_000;
    private static final long MAX_PLAIN_INT = 1L << 53;
    private static final int MAX_DIGITS = 4300;
    private static final int MAX_NAME = 200;
    private static final BigInteger INT_BOUND = BigInteger.TEN.pow(MAX_DIGITS);
    private static final int MAX_EXPONENT = 1_000_000;

    private final StringBuilder out = new StringBuilder();
    private Map<Class<?>, Map<String, String>> fieldNames = Map.of();
    private int nodes;

    /** @param names the names that fields are written with, of each class, where they are not those that they have there */
    static String encode(Object value, Map<Class<?>, Map<String, String>> names) {
        Writer writer = new Writer();
        writer.fieldNames = names;
        writer.value(value, "$", 1);
        return writer.out.toString();
    }

    /** A text as a JSON string, lone surrogates replaced: for words, not for values. */
    static String quote(String text) {
        Writer writer = new Writer();
        writer.plain(replaceLoneSurrogates(text));
        return writer.out.toString();
    }

    private void enter(int children, String path, int depth) {
        if (depth > MAX_DEPTH) throw new Tree.UnportableError(path, "nesting deeper than " + MAX_DEPTH);
        nodes += children;
        if (nodes > MAX_NODES) throw new Tree.UnportableError(path, "a tree of more than " + MAX_NODES + " values");
    }

    private static String step(String path, Object at) {
        return path.length() > 400 ? path : path + "[" + at + "]";
    }

    private void value(Object value, String path, int depth) {
        switch (value) {
            case null -> out.append("null");
            case Boolean bool -> out.append(bool);
            case Integer number -> out.append(number.intValue());
            case Long number -> integer(number);
            case Double number -> real(number);
            case String text -> text(text);
            case Character one -> text(one.toString());
            case Byte number -> out.append(number.intValue());
            case Short number -> out.append(number.intValue());
            case Float number -> real(Double.parseDouble(number.toString()));
            case BigInteger number -> big(number, path);
            case BigDecimal number -> decimal(number, path);
            case List<?> list -> items(list, path, depth);
            case Set<?> set -> {
                out.append("{\"$\":\"set\",\"v\":");
                items(set, path, depth);
                out.append('}');
            }
            case Map<?, ?> map -> map(map, path, depth);
            case Map.Entry<?, ?> entry -> {
                List<Object> both = new ArrayList<>(2);
                both.add(entry.getKey());
                both.add(entry.getValue());
                out.append("{\"$\":\"tuple\",\"v\":");
                items(both, path, depth);
                out.append('}');
            }
            case Collection<?> collection -> items(collection, path, depth);
            case Optional<?> optional -> value(optional.orElse(null), path, depth);
            case OptionalInt optional -> value(optional.isPresent() ? (Object) optional.getAsInt() : null, path, depth);
            case OptionalLong optional -> value(optional.isPresent() ? (Object) optional.getAsLong() : null, path, depth);
            case OptionalDouble optional -> value(optional.isPresent() ? (Object) optional.getAsDouble() : null, path, depth);
            case Enum<?> constant -> text(constant.name());
            case byte[] bytes -> out.append("{\"$\":\"bytes\",\"v\":\"").append(Base64.getEncoder().encodeToString(bytes)).append("\"}");
            case CharSequence text -> text(text.toString());
            case BaseStream<?, ?> stream -> iterator(stream.iterator(), path, depth);
            case Iterator<?> iterator -> iterator(iterator, path, depth);
            default -> object(value, path, depth);
        }
    }

    private void integer(long number) {
        if (number < -MAX_PLAIN_INT || number > MAX_PLAIN_INT) out.append("{\"$\":\"int\",\"v\":\"").append(number).append("\"}");
        else out.append(number);
    }

    private void big(BigInteger number, String path) {
        if (number.bitLength() < 64) {
            integer(number.longValue());
            return;
        }
        if (number.abs().compareTo(INT_BOUND) >= 0) throw new Tree.UnportableError(path, "an integer of more than " + MAX_DIGITS + " digits");
        out.append("{\"$\":\"int\",\"v\":\"").append(number).append("\"}");
    }

    private void decimal(BigDecimal number, String path) {
        // How large it is comes before its text, whose making takes time that grows with the square of the length.
        long exponent = (long) number.precision() - number.scale() - 1;
        String text = number.precision() > MAX_DIGITS || Math.abs(exponent) > MAX_EXPONENT - MAX_DIGITS ? "" : number.toString();
        if (text.isEmpty() || text.length() > MAX_DIGITS) throw new Tree.UnportableError(path, "a decimal of such a size");
        out.append("{\"$\":\"decimal\",\"v\":\"").append(text).append("\"}");
    }

    private void real(double number) {
        if (Double.isNaN(number)) out.append("{\"$\":\"float\",\"v\":\"nan\"}");
        else if (Double.isInfinite(number)) out.append("{\"$\":\"float\",\"v\":\"").append(number > 0 ? "inf" : "-inf").append("\"}");
        else out.append(number);
    }

    private static int loneSurrogate(String text, int from) {
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) continue;
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) i++;
            else return i;
        }
        return -1;
    }

    private static String replaceLoneSurrogates(String text) {
        int at = loneSurrogate(text, 0);
        if (at < 0) return text;
        StringBuilder fixed = new StringBuilder(text);
        for (; at >= 0; at = loneSurrogate(text, at + 1)) fixed.setCharAt(at, '\uFFFD');
        return fixed.toString();
    }

    private void text(String text) {
        if (loneSurrogate(text, 0) < 0) {
            plain(text);
            return;
        }
        out.append("{\"$\":\"str\",\"v\":[");
        for (int i = 0; i < text.length(); i++) {
            if (i > 0) out.append(',');
            out.append((int) text.charAt(i));
        }
        out.append("]}");
    }

    private void plain(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < 0x20) out.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
            else out.append(c);
        }
        out.append('"');
    }

    private void items(Collection<?> items, String path, int depth) {
        enter(items.size(), path, depth);
        out.append('[');
        int i = 0;
        for (Object item : items) {
            if (i > 0) out.append(',');
            value(item, step(path, i), depth + 1);
            i++;
        }
        out.append(']');
    }

    private void iterator(Iterator<?> iterator, String path, int depth) {
        List<Object> items = new ArrayList<>();
        while (iterator.hasNext()) {
            items.add(iterator.next());
            if (items.size() > MAX_NODES) throw new Tree.UnportableError(path, "a stream of more than " + MAX_NODES + " values");
        }
        items(items, path, depth);
    }

    private void map(Map<?, ?> map, String path, int depth) {
        boolean plain = true;
        Set<Object> names = new HashSet<>();
        List<Tree.Pair> pairs = new ArrayList<>(map.size());
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            Object key = entry.getKey();
            plain = plain && key instanceof String name && !name.equals("$") && loneSurrogate(name, 0) < 0;
            // Maps by identity or by an order of their own may hold equal texts.
            plain = plain && names.add(key);
            pairs.add(new Tree.Pair(key, entry.getValue()));
        }
        enter(pairs.size(), path, depth);
        out.append(plain ? "{" : "{\"$\":\"map\",\"v\":");
        pairs(pairs, plain, path, depth);
        out.append('}');
    }

    private void pairs(List<Tree.Pair> pairs, boolean plain, String path, int depth) {
        if (!plain) out.append('[');
        boolean first = true;
        for (Tree.Pair pair : pairs) {
            if (!first) out.append(',');
            first = false;
            if (!plain) out.append('[');
            value(pair.key(), path + ".key", depth + 1);
            out.append(plain ? ':' : ',');
            value(pair.value(), path.length() > 400 ? path : path + "." + (plain ? pair.key() : "value"), depth + 1);
            if (!plain) out.append(']');
        }
        if (!plain) out.append(']');
    }

    /** A class's name, without the address that the virtual machine appends to that of a lambda. */
    private static String nameOf(Class<?> type) {
        String name = type.getName();
        return type.isHidden() ? name.substring(0, name.lastIndexOf('/')) : name;
    }

    private void object(Object value, String path, int depth) {
        Class<?> type = value.getClass();
        if (type.isArray()) {
            int size = Array.getLength(value);
            enter(size, path, depth);
            out.append('[');
            for (int i = 0; i < size; i++) {
                if (i > 0) out.append(',');
                value(Array.get(value, i), step(path, i), depth + 1);
            }
            out.append(']');
            return;
        }
        if (type.getModule().isNamed() || type.isSynthetic() || type.isHidden()) {
            throw new Tree.UnportableError(path, "a " + nameOf(type));
        }
        List<Tree.Pair> fields = new ArrayList<>();
        // What came by a name goes back by it.
        Map<String, String> written = fieldNames.getOrDefault(type, Map.of());
        try {
            if (type.isRecord()) {
                for (RecordComponent component : type.getRecordComponents()) {
                    Field field = type.getDeclaredField(component.getName());
                    field.setAccessible(true);
                    fields.add(new Tree.Pair(written.getOrDefault(component.getName(), component.getName()), field.get(value)));
                }
            } else {
                for (Class<?> owner = type; owner != Object.class; owner = owner.getSuperclass()) {
                    if (owner.getModule().isNamed()) throw new Tree.UnportableError(path, "a " + nameOf(type));
                    for (Field field : owner.getDeclaredFields()) {
                        if (Modifier.isStatic(field.getModifiers()) || field.isSynthetic()) continue;
                        field.setAccessible(true);
                        fields.add(new Tree.Pair(written.getOrDefault(field.getName(), field.getName()), field.get(value)));
                    }
                }
            }
        } catch (ReflectiveOperationException error) {
            throw new Tree.UnportableError(path, "a " + nameOf(type));
        }
        String name = type.getSimpleName();
        Set<Object> names = new HashSet<>();
        for (Tree.Pair field : fields) {
            // A class and its parent may each have a private field of one name.
            if (!names.add(field.key())) throw new Tree.UnportableError(path, "a " + nameOf(type) + " with two fields " + field.key());
        }
        if (name.length() > MAX_NAME || names.stream().anyMatch(field -> ((String) field).length() > MAX_NAME)) {
            throw new Tree.UnportableError(path, "a record with a name of more than " + MAX_NAME + " characters");
        }
        enter(fields.size(), path, depth);
        out.append("{\"$\":\"record\",\"name\":");
        plain(name.isEmpty() ? "Object" : name);
        out.append(",\"fields\":");
        pairs(fields, false, path, depth);
        out.append('}');
    }
}
