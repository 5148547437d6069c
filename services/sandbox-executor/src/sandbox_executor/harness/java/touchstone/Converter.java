package touchstone;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Makes the values of the parameters' types from the trees of one call's arguments. */
final class Converter {
    private static final double MAX_PLAIN_INT = 1L << 53;
    /** What stands for an interface, most usual first. */
    private static final List<Class<?>> COLLECTIONS = List.of(
        ArrayList.class, LinkedHashSet.class, ArrayDeque.class, TreeSet.class, LinkedList.class, HashSet.class, PriorityQueue.class
    );
    /** The same where an item is null; what sorts takes none, whatever stands for it. */
    private static final List<Class<?>> WITH_NULL = List.of(ArrayList.class, LinkedHashSet.class, LinkedList.class, TreeSet.class);
    private static final List<Class<?>> MAPS = List.of(LinkedHashMap.class, HashMap.class, TreeMap.class);

    /** The names by which fields came, of each class, by the names that they have there. */
    final Map<Class<?>, Map<String, String>> names = new HashMap<>();
    /** The numbers that came to a type which leaves open which class they have: to a variable, or to `Comparable`. */
    private final Map<Type, List<Object>> open = new HashMap<>();
    /** The class that all numbers of such a type have. */
    private final Map<Type, Class<?>> closed = new HashMap<>();

    Object convert(Object tree, Type type) {
        return switch (type) {
            case Class<?> plain -> toClass(tree, plain, plain);
            case ParameterizedType generic -> toClass(tree, Types.raw(generic), generic);
            case GenericArrayType array -> array(tree, array.getGenericComponentType());
            case TypeVariable<?> variable -> closed(tree, variable) instanceof Object found ? found : convert(tree, variable.getBounds()[0]);
            case WildcardType wildcard -> convert(tree, Types.bound(wildcard));
            default -> throw new Tree.ArgumentError("a parameter of type " + type.getTypeName());
        };
    }

    /**
     * Sees to it that numbers of one open type, which the size of each would give several classes, have one: no caller in
     * Java has an `Integer` and a `Long` in one `List<T>`.
     *
     * @return whether values that were made before are to be made again
     */
    boolean close() {
        open.forEach((type, numbers) -> {
            Class<?> one = common(numbers);
            if (one != null && Types.raw(type).isAssignableFrom(one)) closed.put(type, one);
        });
        return !closed.isEmpty();
    }

    /** The class that holds all the numbers exactly, where the smallest of each are several; null where there is none. */
    private static Class<?> common(List<Object> numbers) {
        List<Object> each = numbers.stream().map(Converter::natural).toList();
        if (each.stream().map(Object::getClass).distinct().count() < 2) return null;
        boolean real = each.stream().anyMatch(Double.class::isInstance);
        boolean large = each.stream().anyMatch(BigInteger.class::isInstance);
        if (!real) return large ? BigInteger.class : Long.class;
        boolean exact = !large && each.stream().allMatch(one -> !(one instanceof Long whole) || Math.abs(whole) <= MAX_PLAIN_INT);
        return exact ? Double.class : null;
    }

    private Object closed(Object tree, Type type) {
        if (!(tree instanceof Long || tree instanceof BigInteger || tree instanceof Double)) return null;
        open.computeIfAbsent(type, key -> new ArrayList<>()).add(tree);
        Class<?> one = closed.get(type);
        return one == null ? null : toClass(tree, one, one);
    }

    private static Tree.ArgumentError misfit(Object tree, Class<?> type) {
        String name = switch (tree) {
            case null -> "null";
            case Boolean b -> "a boolean";
            case Long n -> "the integer " + n;
            case BigInteger n -> "an integer of " + n.bitLength() + " bits";
            case Double d -> "the float " + d;
            case String s -> "a text";
            case Tree.Sequence s -> "a sequence";
            case Tree.Set s -> "a set";
            case Tree.Map m -> "a map";
            case Tree.Bytes b -> "bytes";
            case Tree.Record r -> "a record";
            default -> "a value";
        };
        return new Tree.ArgumentError(name + " does not fit " + type.getSimpleName());
    }

    /** @param full the type with its arguments */
    private Object toClass(Object tree, Class<?> type, Type full) {
        if (type == Optional.class) return Optional.ofNullable(tree == null ? null : convert(tree, Types.argument(full, type, 0)));
        if (type == OptionalInt.class) return tree == null ? OptionalInt.empty() : OptionalInt.of((Integer) convert(tree, int.class));
        if (type == OptionalLong.class) return tree == null ? OptionalLong.empty() : OptionalLong.of((Long) convert(tree, long.class));
        if (type == OptionalDouble.class) {
            return tree == null ? OptionalDouble.empty() : OptionalDouble.of((Double) convert(tree, double.class));
        }
        if (tree == null) {
            if (type.isPrimitive()) throw misfit(null, type);
            return null;
        }
        if (type.isArray()) return array(tree, type.getComponentType());
        if (type == Comparable.class && closed(tree, type) instanceof Object found) return found;
        if (type == Object.class || type == Comparable.class || type == java.io.Serializable.class) return fitting(natural(tree), tree, type);
        return switch (tree) {
            case Boolean bool -> {
                if (type == boolean.class || type == Boolean.class) yield bool;
                throw misfit(tree, type);
            }
            case Long number -> number(number, type);
            case BigInteger number -> number(number, type);
            case Double number -> real(number, type);
            case String text -> text(text, type);
            case Tree.Sequence sequence -> sequence(sequence.items(), tree, type, full);
            case Tree.Set set -> sequence(set.items(), tree, type, full);
            case Tree.Map map -> map(map.pairs(), tree, type, full);
            case Tree.Record record -> record(record, type, full);
            default -> throw misfit(tree, type);
        };
    }

    private static Object fitting(Object value, Object tree, Class<?> type) {
        if (!type.isInstance(value)) throw misfit(tree, type);
        return value;
    }

    private static Object number(Long number, Class<?> type) {
        long n = number;
        if (type == long.class || type == Long.class) return number;
        if ((type == int.class || type == Integer.class) && n == (int) n) return (int) n;
        if (type == double.class || type == Double.class) return (double) n;
        if (type == float.class || type == Float.class) return (float) n;
        if ((type == short.class || type == Short.class) && n == (short) n) return (short) n;
        if ((type == byte.class || type == Byte.class) && n == (byte) n) return (byte) n;
        if (type == BigInteger.class) return BigInteger.valueOf(n);
        if (type == BigDecimal.class) return BigDecimal.valueOf(n);
        if (type == Number.class) return natural(number);
        throw misfit(number, type);
    }

    private static Object number(BigInteger number, Class<?> type) {
        if (number.bitLength() < 64) return number(number.longValue(), type);
        if (type == BigInteger.class || type == Number.class) return number;
        if (type == BigDecimal.class) return new BigDecimal(number);
        if (type == double.class || type == Double.class) return number.doubleValue();
        throw misfit(number, type);
    }

    private static Object real(Double number, Class<?> type) {
        if (type == double.class || type == Double.class || type == Number.class) return number;
        if (type == float.class || type == Float.class) return number.floatValue();
        if (type == BigDecimal.class && Double.isFinite(number)) return new BigDecimal(number.toString());
        // In the portable comparison 3.0 is 3, so a whole number may go where an integer is wanted.
        if (number == Math.rint(number) && Math.abs(number) <= MAX_PLAIN_INT && (type.isPrimitive() || Number.class.isAssignableFrom(type))) {
            return number(number.longValue(), type);
        }
        throw misfit(number, type);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Object text(String text, Class<?> type) {
        if (type.isAssignableFrom(String.class)) return text;
        if ((type == char.class || type == Character.class) && text.length() == 1) return text.charAt(0);
        if (type == StringBuilder.class) return new StringBuilder(text);
        if (type.isEnum()) {
            try {
                return Enum.valueOf((Class) type, text);
            } catch (IllegalArgumentException error) {
                throw misfit(text, type);
            }
        }
        throw misfit(text, type);
    }

    private Object array(Object tree, Type component) {
        Class<?> raw = Types.raw(component);
        if (tree instanceof Tree.Bytes bytes && raw == byte.class) return bytes.data().clone();
        if (tree instanceof String text && raw == char.class) return text.toCharArray();
        List<Object> items = switch (tree) {
            case null -> null;
            case Tree.Sequence sequence -> sequence.items();
            case Tree.Set set -> set.items();
            case Tree.Record record -> record.fields().stream().map(Tree.Pair::value).toList();
            default -> throw misfit(tree, raw.arrayType());
        };
        if (items == null) return null;
        Object made = Array.newInstance(raw, items.size());
        for (int i = 0; i < items.size(); i++) Array.set(made, i, convert(items.get(i), component));
        return made;
    }

    private Object sequence(List<Object> items, Object tree, Class<?> type, Type full) {
        if (type.isRecord()) return positional(items, tree, type, full);
        List<Class<?>> usual = items.contains(null) ? WITH_NULL : COLLECTIONS;
        Object made = make(type, usual, tree instanceof Tree.Set && type.isAssignableFrom(LinkedHashSet.class) ? LinkedHashSet.class : null);
        if (!(made instanceof Collection<?>)) throw misfit(tree, type);
        @SuppressWarnings("unchecked")
        Collection<Object> collection = (Collection<Object>) made;
        Type wanted = Types.argument(full, Iterable.class, 0);
        for (Object item : items) {
            Object value = convert(item, wanted);
            try {
                collection.add(value);
            } catch (NullPointerException | ClassCastException error) {
                // What a queue or a sorted set does not take was never given to the candidate.
                throw misfit(item, type);
            }
        }
        return collection;
    }

    /** An instance of the class itself where it can be made, else of the first usual class that fits. */
    private static Object make(Class<?> type, List<Class<?>> usual, Class<?> preferred) {
        if (preferred != null) return instance(preferred);
        if (!type.isInterface() && !Modifier.isAbstract(type.getModifiers())) return instance(type);
        for (Class<?> one : usual) {
            if (type.isAssignableFrom(one)) return instance(one);
        }
        return null;
    }

    private static Object instance(Class<?> type) {
        try {
            Constructor<?> constructor = type.getDeclaredConstructor();
            if (!type.getModule().isNamed()) constructor.setAccessible(true);
            return constructor.newInstance();
        } catch (ReflectiveOperationException error) {
            return null;
        }
    }

    private Object map(List<Tree.Pair> pairs, Object tree, Class<?> type, Type full) {
        if (!Map.class.isAssignableFrom(type)) return structure(pairs, tree, type, full);
        if (!(make(type, MAPS, null) instanceof Map<?, ?> made)) throw misfit(tree, type);
        @SuppressWarnings("unchecked")
        Map<Object, Object> map = (Map<Object, Object>) made;
        Type keys = Types.argument(full, Map.class, 0);
        Type values = Types.argument(full, Map.class, 1);
        for (Tree.Pair pair : pairs) {
            Object key = convert(pair.key(), keys);
            Object value = convert(pair.value(), values);
            try {
                map.put(key, value);
            } catch (NullPointerException | ClassCastException error) {
                throw misfit(tree, type);
            }
        }
        return map;
    }

    private Object record(Tree.Record record, Class<?> type, Type full) {
        if (Map.class.isAssignableFrom(type)) return map(record.fields(), record, type, full);
        if (Collection.class.isAssignableFrom(type) || type == Iterable.class) {
            return sequence(record.fields().stream().map(Tree.Pair::value).toList(), record, type, full);
        }
        return structure(record.fields(), record, type, full);
    }

    private static String plainName(Object name) {
        return String.valueOf(name).replace("_", "").toLowerCase(Locale.ROOT);
    }

    /**
     * What each of a class's names is given: by exactly that name, else by one that differs in case and underscores only.
     * What a class leaves out is not read, and what it has beside is left to its constructor; but not both at once, for
     * then a name is another one in the two languages.
     */
    private Map<String, Object> matched(List<Tree.Pair> given, Set<String> names, Class<?> type) {
        Map<String, Object> found = new LinkedHashMap<>();
        Map<String, String> as = this.names.computeIfAbsent(type, key -> new HashMap<>());
        List<Tree.Pair> others = new ArrayList<>();
        for (Tree.Pair pair : given) {
            if (pair.key() instanceof String name && names.contains(name)) found.put(name, pair.value());
            else others.add(pair);
        }
        Object unknown = null;
        for (Tree.Pair pair : others) {
            String plain = plainName(pair.key());
            List<String> like = names.stream().filter(name -> !found.containsKey(name) && plainName(name).equals(plain)).toList();
            if (like.size() > 1) throw new Tree.ArgumentError(pair.key() + " may be " + String.join(" or ", like) + " of " + type.getSimpleName());
            if (like.isEmpty()) unknown = pair.key();
            else {
                found.put(like.getFirst(), pair.value());
                as.put(like.getFirst(), String.valueOf(pair.key()));
            }
        }
        if (unknown != null && found.size() < names.size()) throw new Tree.ArgumentError(type.getSimpleName() + " has no field " + unknown);
        return found;
    }

    private Object positional(List<Object> items, Object tree, Class<?> type, Type full) {
        RecordComponent[] components = type.getRecordComponents();
        if (components.length != items.size()) throw misfit(tree, type);
        Class<?>[] types = new Class<?>[components.length];
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            values[i] = convert(items.get(i), Types.within(components[i].getGenericType(), full, type));
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException | RuntimeException error) {
            throw new Tree.ArgumentError(type.getSimpleName() + " cannot be made: " + error);
        }
    }

    /** A record or a plain class of the candidate, its fields found by name. */
    private Object structure(List<Tree.Pair> pairs, Object tree, Class<?> type, Type full) {
        if (type.getModule().isNamed()) throw misfit(tree, type);
        if (type.isRecord()) {
            List<String> names = Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).toList();
            Map<String, Object> given = matched(pairs, new LinkedHashSet<>(names), type);
            for (String name : names) {
                if (!given.containsKey(name)) throw new Tree.ArgumentError(type.getSimpleName() + " is given no " + name);
            }
            return positional(names.stream().map(given::get).toList(), tree, type, full);
        }
        Object made = instance(type);
        if (made == null) throw misfit(tree, type);
        Map<String, Field> fields = fields(type);
        matched(pairs, fields.keySet(), type).forEach((name, value) -> {
            Field field = fields.get(name);
            try {
                field.setAccessible(true);
                field.set(made, convert(value, Types.within(field.getGenericType(), full, field.getDeclaringClass())));
            } catch (IllegalAccessException error) {
                throw misfit(tree, type);
            }
        });
        return made;
    }

    /** The fields of a class and of its parents; one that hides another is meant by their name. */
    private static Map<String, Field> fields(Class<?> type) {
        Map<String, Field> found = new LinkedHashMap<>();
        for (Class<?> owner = type; owner != null && !owner.getModule().isNamed(); owner = owner.getSuperclass()) {
            for (Field field : owner.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) found.putIfAbsent(field.getName(), field);
            }
        }
        return found;
    }

    /** The value that a Java program would hold where it says nothing about the type. */
    private static Object natural(Object tree) {
        return switch (tree) {
            case null -> null;
            case Long number -> number == number.intValue() ? (Object) number.intValue() : number;
            case BigInteger number -> number.bitLength() < 64 ? natural(number.longValue()) : number;
            case Tree.Sequence sequence -> naturals(sequence.items(), new ArrayList<>());
            case Tree.Set set -> naturals(set.items(), new LinkedHashSet<>());
            case Tree.Bytes bytes -> bytes.data().clone();
            case Tree.Map map -> naturals(map.pairs());
            case Tree.Record record -> naturals(record.fields());
            default -> tree;
        };
    }

    private static Object naturals(List<Object> items, Collection<Object> made) {
        for (Object item : items) made.add(natural(item));
        return made;
    }

    private static Object naturals(List<Tree.Pair> pairs) {
        Map<Object, Object> made = new LinkedHashMap<>();
        for (Tree.Pair pair : pairs) made.put(natural(pair.key()), natural(pair.value()));
        return made;
    }
}
