package touchstone;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The candidate's method, found by name in the classes that it was compiled to. */
final class EntryPoint {
    private final List<Method> methods;
    private final Mentions mentions;
    /** The methods that a number of arguments means. */
    private final Map<Integer, List<Method>> meant = new HashMap<>();

    private EntryPoint(List<Method> methods, Mentions mentions) {
        this.methods = methods;
        this.mentions = mentions;
    }

    /** Loads the candidate's classes and nothing else of the harness's own. */
    static final class Loader extends ClassLoader {
        private final Map<String, byte[]> classes;

        Loader(Map<String, byte[]> classes) {
            super(Packages.loader());
            this.classes = classes;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] bytes = classes.get(name);
            if (bytes == null) throw new ClassNotFoundException(name);
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    /**
     * Finds the methods that a name means: `method`, or `Class.method`.
     *
     * @return null when the candidate has no such method
     */
    static EntryPoint find(Map<String, byte[]> classes, String entry) throws ClassNotFoundException {
        int dot = entry.lastIndexOf('.');
        String owner = dot < 0 ? null : entry.substring(0, dot);
        String name = entry.substring(dot + 1);
        Loader loader = new Loader(classes);
        List<Method> nested = new ArrayList<>();
        List<Method> found = new ArrayList<>();
        for (String className : classes.keySet()) {
            String simple = className.substring(className.lastIndexOf('.') + 1);
            if (owner != null && !simple.replace('$', '.').equals(owner) && !className.equals(owner)) continue;
            for (Method method : Class.forName(className, false, loader).getDeclaredMethods()) {
                if (!method.getName().equals(name) || method.isBridge() || method.isSynthetic() || Modifier.isAbstract(method.getModifiers())) continue;
                method.setAccessible(true);
                (simple.indexOf('$') < 0 ? found : nested).add(method);
            }
        }
        // A method of a nested class is meant only where no top-level class has one.
        List<Method> methods = found.isEmpty() ? nested : found;
        // The virtual machine lists methods in an order of its own.
        methods.sort(Comparator.comparing(Method::toString));
        return methods.isEmpty() ? null : new EntryPoint(methods, new Mentions(classes));
    }

    /** The methods that the candidate has, in words. */
    static String names(Map<String, byte[]> classes) throws ClassNotFoundException {
        Loader loader = new Loader(classes);
        List<String> found = new ArrayList<>();
        for (String className : classes.keySet()) {
            String simple = className.substring(className.lastIndexOf('.') + 1).replace('$', '.');
            for (Method method : Class.forName(className, false, loader).getDeclaredMethods()) {
                if (!method.isSynthetic() && found.size() < 20) found.add(simple + "." + method.getName());
            }
        }
        found.sort(null);
        return found.isEmpty() ? "no methods" : String.join(", ", found);
    }

    /** Calls the method that the arguments mean (see `Overloads`). */
    Object call(List<Object> arguments) throws Throwable {
        List<Overloads.Fit> fits = new ArrayList<>();
        Tree.ArgumentError refusal = null;
        for (Method method : meant.computeIfAbsent(arguments.size(), this::ofCount)) {
            try {
                fits.add(fit(method, arguments));
            } catch (Tree.ArgumentError error) {
                if (refusal == null) refusal = error;
            }
        }
        if (fits.isEmpty()) throw refusal;
        Overloads.Fit chosen = Overloads.choose(fits, arguments);
        Method method = chosen.method();
        try {
            return method.invoke(Modifier.isStatic(method.getModifiers()) ? null : instance(method.getDeclaringClass()), chosen.values());
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }

    /**
     * The methods that take so many arguments, of the class that is the program: helpers beside it may have methods of
     * the same name. All methods where none takes so many, and those of several classes where nothing tells them apart.
     */
    private List<Method> ofCount(int count) {
        List<Method> taking = only(methods, method -> takes(method, count));
        List<Class<?>> owners = taking.stream().<Class<?>>map(Method::getDeclaringClass).distinct().toList();
        if (owners.size() == 1) return taking;
        List<Class<?>> callable = only(owners, owner -> hasStatic(taking, owner) || isMade(owner));
        List<Class<?>> unused = only(callable, owner -> callable.stream().noneMatch(other -> isHelper(owner, other)));
        List<Class<?>> asked = only(only(unused, owner -> hasStatic(taking, owner)), owner -> Modifier.isPublic(owner.getModifiers()));
        return only(taking, method -> asked.contains(method.getDeclaringClass()));
    }

    private static <T> List<T> only(List<T> all, Predicate<T> wanted) {
        List<T> found = all.stream().filter(wanted).toList();
        return found.isEmpty() ? all : found;
    }

    private static boolean takes(Method method, int count) {
        int parameters = method.getParameterCount();
        return parameters == count || (method.isVarArgs() && count >= parameters - 1);
    }

    private static boolean hasStatic(List<Method> methods, Class<?> owner) {
        return methods.stream().anyMatch(method -> method.getDeclaringClass() == owner && Modifier.isStatic(method.getModifiers()));
    }

    private static boolean isMade(Class<?> type) {
        if (Modifier.isAbstract(type.getModifiers())) return false;
        return Arrays.stream(type.getDeclaredConstructors()).anyMatch(constructor -> constructor.getParameterCount() == 0);
    }

    private boolean isHelper(Class<?> type, Class<?> other) {
        return type != other && mentions.uses(other, type) && !mentions.uses(type, other);
    }

    private static Object instance(Class<?> type) throws Throwable {
        try {
            Constructor<?> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        } catch (InvocationTargetException error) {
            throw error.getCause();
        } catch (ReflectiveOperationException error) {
            throw new Tree.ArgumentError("the method is not static and " + type.getSimpleName() + " cannot be made without arguments");
        }
    }

    private static Overloads.Fit fit(Method method, List<Object> arguments) {
        boolean variadic = method.isVarArgs();
        int fixed = method.getParameterCount() - (variadic ? 1 : 0);
        if (variadic && arguments.size() < fixed) {
            throw new Tree.ArgumentError("the method takes at least " + fixed + " arguments, the case has " + arguments.size());
        }
        if (!variadic && arguments.size() != fixed) {
            throw new Tree.ArgumentError("the method takes " + fixed + " arguments, the case has " + arguments.size());
        }
        Object[] values = new Object[method.getParameterCount()];
        for (int i = 0; i < fixed; i++) values[i] = converted(method, i, arguments.get(i));
        if (!variadic) return new Overloads.Fit(method, values, Overloads.Rest.NONE);
        // Each argument is an element where it can be, as for a caller in any language; one list is the whole rest after that.
        List<Object> rest = arguments.subList(fixed, arguments.size());
        try {
            values[fixed] = converted(method, fixed, new Tree.Sequence(rest));
            return new Overloads.Fit(method, values, Overloads.Rest.ELEMENTS);
        } catch (Tree.ArgumentError error) {
            if (rest.size() != 1 || rest.getFirst() == null) throw error;
            values[fixed] = converted(method, fixed, rest.getFirst());
            return new Overloads.Fit(method, values, Overloads.Rest.WHOLE);
        }
    }

    private static Object converted(Method method, int place, Object argument) {
        try {
            return Converter.convert(argument, method.getGenericParameterTypes()[place]);
        } catch (Tree.ArgumentError error) {
            Parameter parameter = method.getParameters()[place];
            throw new Tree.ArgumentError("argument " + (place + 1) + " (" + parameter.getType().getSimpleName() + "): " + error.getMessage());
        }
    }
}
