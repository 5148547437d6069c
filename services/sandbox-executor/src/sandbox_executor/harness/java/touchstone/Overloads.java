package touchstone;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which of several methods of one name is meant by arguments whose declared types nobody knows.
 *
 * The order in which the virtual machine lists methods says nothing. A head names `Object`, or the type that is usual
 * for a kind of values; what helps it is narrower, and often private.
 */
final class Overloads {
    private static final List<Class<?>> TRUTHS = List.of(Boolean.class, boolean.class);
    /** Types that take a value of a kind, the usual one first, and of two that take it as well the one that takes more. */
    private static final List<Class<?>> INTEGERS = List.of(
        Long.class, long.class, Integer.class, int.class, BigInteger.class, Short.class, short.class, Byte.class, byte.class,
        Number.class, BigDecimal.class, Double.class, double.class, Float.class, float.class
    );
    private static final List<Class<?>> FLOATS = List.of(
        Double.class, double.class, BigDecimal.class, Float.class, float.class, Number.class,
        Long.class, long.class, Integer.class, int.class, BigInteger.class, Short.class, short.class, Byte.class, byte.class
    );
    private static final List<Class<?>> TEXTS = List.of(String.class, CharSequence.class, Comparable.class);
    private static final List<Class<?>> LISTS = List.of(List.class, Collection.class, Iterable.class);
    private static final List<Class<?>> SETS = List.of(Set.class, Collection.class, Iterable.class);
    private static final List<Class<?>> MAPS = List.of(Map.class);
    private static final List<Class<?>> BYTES = List.of(byte[].class);

    private Overloads() {}

    /** How arguments come to a variable number of parameters: there are none, each is one of its elements, one is all of it. */
    enum Rest {
        NONE,
        ELEMENTS,
        WHOLE
    }

    /** A method with the values that it would be called with. */
    record Fit(EntryPoint.Found found, Object[] values, Rest rest, Map<Class<?>, Map<String, String>> names) {
        private Method method() {
            return found.method();
        }

        /** Smaller is meant rather: arguments as they came, then what others may call, then what needs no object. */
        private int rank() {
            int modifiers = method().getModifiers();
            int access = Modifier.isPublic(modifiers) ? 0 : Modifier.isPrivate(modifiers) ? 2 : 1;
            return 6 * rest.ordinal() + 2 * access + (Modifier.isStatic(modifiers) ? 0 : 1);
        }

        private Class<?> type(int argument) {
            Class<?>[] types = method().getParameterTypes();
            return rest == Rest.ELEMENTS && argument >= types.length - 1 ? types[types.length - 1].getComponentType() : types[argument];
        }

        private String words() {
            List<String> types = new ArrayList<>();
            for (Class<?> type : method().getParameterTypes()) types.add(type.getSimpleName());
            return found.owner().getSimpleName() + "." + method().getName() + "(" + String.join(", ", types) + ")";
        }
    }

    /** Gives the one that is meant; methods of two classes, or of types that are equally near, are an error. */
    static Fit choose(List<Fit> fits, List<Object> arguments) {
        if (fits.size() == 1) return fits.getFirst();
        boolean related = fits.stream().map(fit -> fit.found().owner()).distinct().count() == 1;
        List<Fit> best = related ? fits.stream().filter(fit -> fits.stream().noneMatch(other -> isBetter(other, fit, arguments))).toList() : fits;
        if (best.size() == 1) return best.getFirst();
        TreeSet<String> words = new TreeSet<>();
        for (Fit fit : best) words.add(fit.words());
        throw new Tree.ArgumentError(String.join(" and ", words) + " take these arguments alike: which one is meant cannot be told");
    }

    private static boolean isBetter(Fit fit, Fit other, List<Object> arguments) {
        if (fit.rank() != other.rank()) return fit.rank() < other.rank();
        boolean better = false;
        for (int i = 0; i < arguments.size(); i++) {
            int ours = distance(arguments.get(i), fit.type(i));
            int theirs = distance(arguments.get(i), other.type(i));
            if (ours > theirs) return false;
            better |= ours < theirs;
        }
        return better;
    }

    /** How far a parameter's type is from what a head says of such a value. */
    private static int distance(Object tree, Class<?> type) {
        if (type == Object.class) return 0;
        List<Class<?>> usual = switch (tree) {
            case Boolean truth -> TRUTHS;
            case Long number -> INTEGERS;
            case BigInteger number -> INTEGERS;
            case Double number -> FLOATS;
            case String text -> TEXTS;
            case Tree.Sequence sequence -> LISTS;
            case Tree.Set set -> SETS;
            case Tree.Map map -> MAPS;
            case Tree.Record record -> MAPS;
            case Tree.Bytes bytes -> BYTES;
            case null, default -> List.of();
        };
        int place = usual.indexOf(type);
        if (place >= 0) return 1 + place;
        boolean kindred = !usual.isEmpty() && (usual.getFirst().isAssignableFrom(type) || (usual == LISTS && type.isArray()));
        return 1 + usual.size() + (kindred ? 0 : 1);
    }
}
