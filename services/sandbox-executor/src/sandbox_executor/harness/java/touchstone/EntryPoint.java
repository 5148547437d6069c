package touchstone;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The candidate's method, found by name in the classes that it was compiled to. */
final class EntryPoint {
    private final List<Found> methods;
    private final Mentions mentions;
    /** The methods that a number of arguments means. */
    private final Map<Integer, List<Found>> meant = new HashMap<>();

    /** A method as a class has it, by itself or from a parent. */
    record Found(Class<?> owner, Method method) {
        private boolean isStatic() {
            return Modifier.isStatic(method.getModifiers());
        }

        private boolean isOwn() {
            return method.getDeclaringClass() == owner;
        }

        private Type type(int place) {
            Type declared = method.getGenericParameterTypes()[place];
            return isOwn() ? declared : Types.within(declared, owner, method.getDeclaringClass());
        }
    }

    private EntryPoint(List<Found> methods, Mentions mentions) {
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
        List<Found> all = new ArrayList<>();
        for (String className : classes.keySet()) all.addAll(methods(Class.forName(className, false, loader), name));
        List<Found> meant = all.stream().filter(owner == null ? Found::isOwn : one -> simple(one.owner()).equals(owner)).toList();
        if (meant.isEmpty() && owner != null) {
            meant = all.stream().filter(one -> one.owner().getName().equals(owner) || simple(one.owner()).endsWith("." + owner)).toList();
        }
        if (meant.stream().noneMatch(one -> one.isStatic() || isMade(one.owner()))) meant = ofChildren(meant, all);
        // A method of a nested class is meant only where no top-level class has one.
        List<Found> methods = new ArrayList<>(owner != null ? meant : only(meant, one -> simple(one.owner()).indexOf('.') < 0));
        // The virtual machine lists methods in an order of its own.
        methods.sort(Comparator.comparing(Found::toString));
        return methods.isEmpty() ? null : new EntryPoint(methods, new Mentions(classes));
    }

    /** A class's name without its package, as a program writes it. */
    private static String simple(Class<?> type) {
        return type.getName().substring(type.getPackageName().isEmpty() ? 0 : type.getPackageName().length() + 1).replace('$', '.');
    }

    /** The methods of one name that can be called on a class or an instance of it: its own, those of its parents and defaults. */
    private static List<Found> methods(Class<?> owner, String name) {
        List<Class<?>> parents = new ArrayList<>();
        for (Class<?> type = owner; type != null && type.getClassLoader() == owner.getClassLoader(); type = type.getSuperclass()) parents.add(type);
        for (int i = 0; i < parents.size(); i++) {
            for (Class<?> type : parents.get(i).getInterfaces()) {
                if (type.getClassLoader() == owner.getClassLoader() && !parents.contains(type)) parents.add(type);
            }
        }
        List<Found> found = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (Class<?> type : parents) {
            Set<String> here = new HashSet<>();
            for (Method method : type.getDeclaredMethods()) {
                int modifiers = method.getModifiers();
                if (!method.getName().equals(name)) continue;
                if (type != owner && (Modifier.isPrivate(modifiers) || (type.isInterface() && Modifier.isStatic(modifiers)))) continue;
                // What the compiler made of a method hides a parent's as well.
                String parameters = Arrays.toString(method.getParameterTypes());
                here.add(parameters);
                if (seen.contains(parameters) || method.isSynthetic() || Modifier.isAbstract(modifiers)) continue;
                method.setAccessible(true);
                found.add(new Found(owner, method));
            }
            seen.addAll(here);
        }
        return found;
    }

    /** The same methods as classes have them that can be made; as they are where there is no such class. */
    private static List<Found> ofChildren(List<Found> methods, List<Found> all) {
        List<Found> made = all.stream().filter(one -> isMade(one.owner()) && !one.owner().isAnonymousClass() && !one.owner().isLocalClass()).toList();
        List<Found> found = made.stream().filter(one -> methods.stream().anyMatch(other -> other.method().equals(one.method()))).toList();
        return found.isEmpty() ? methods : found;
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

    /** Calls the method that the arguments mean (see `Overloads`) and writes what it returns. */
    String call(List<Object> arguments) throws Throwable {
        List<Overloads.Fit> fits = new ArrayList<>();
        Tree.ArgumentError refusal = null;
        for (Found method : meant.computeIfAbsent(arguments.size(), this::ofCount)) {
            try {
                fits.add(fit(method, arguments));
            } catch (Tree.ArgumentError error) {
                if (refusal == null) refusal = error;
            }
        }
        if (fits.isEmpty()) throw refusal;
        Overloads.Fit chosen = Overloads.choose(fits, arguments);
        Found found = chosen.found();
        try {
            Object result = found.method().invoke(found.isStatic() ? null : instance(found.owner()), chosen.values());
            return Writer.encode(result, chosen.names());
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }

    /**
     * The methods that take so many arguments, of the class that is the program: helpers beside it may have methods of
     * the same name. All methods where none takes so many, and those of several classes where nothing tells them apart.
     */
    private List<Found> ofCount(int count) {
        List<Found> taking = only(methods, found -> takes(found.method(), count));
        List<Class<?>> owners = taking.stream().<Class<?>>map(Found::owner).distinct().toList();
        if (owners.size() == 1) return taking;
        List<Class<?>> callable = only(owners, owner -> hasStatic(taking, owner) || isMade(owner));
        List<Class<?>> unused = only(callable, owner -> callable.stream().noneMatch(other -> isHelper(owner, other)));
        List<Class<?>> asked = only(only(unused, owner -> hasStatic(taking, owner)), owner -> Modifier.isPublic(owner.getModifiers()));
        return only(taking, found -> asked.contains(found.owner()));
    }

    private static <T> List<T> only(List<T> all, Predicate<T> wanted) {
        List<T> found = all.stream().filter(wanted).toList();
        return found.isEmpty() ? all : found;
    }

    private static boolean takes(Method method, int count) {
        int parameters = method.getParameterCount();
        return parameters == count || (method.isVarArgs() && count >= parameters - 1);
    }

    private static boolean hasStatic(List<Found> methods, Class<?> owner) {
        return methods.stream().anyMatch(found -> found.owner() == owner && found.isStatic());
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

    private static Overloads.Fit fit(Found found, List<Object> arguments) {
        Converter converter = new Converter();
        Overloads.Fit fit = fit(found, arguments, converter);
        return converter.close() ? fit(found, arguments, converter) : fit;
    }

    private static Overloads.Fit fit(Found found, List<Object> arguments, Converter converter) {
        Method method = found.method();
        boolean variadic = method.isVarArgs();
        int fixed = method.getParameterCount() - (variadic ? 1 : 0);
        if (variadic && arguments.size() < fixed) {
            throw new Tree.ArgumentError("the method takes at least " + fixed + " arguments, the case has " + arguments.size());
        }
        if (!variadic && arguments.size() != fixed) {
            throw new Tree.ArgumentError("the method takes " + fixed + " arguments, the case has " + arguments.size());
        }
        Object[] values = new Object[method.getParameterCount()];
        for (int i = 0; i < fixed; i++) values[i] = converted(found, i, arguments.get(i), converter);
        if (!variadic) return new Overloads.Fit(found, values, Overloads.Rest.NONE, converter.names);
        // Each argument is an element where it can be, as for a caller in any language; one list is the whole rest after that.
        List<Object> rest = arguments.subList(fixed, arguments.size());
        try {
            values[fixed] = converted(found, fixed, new Tree.Sequence(rest), converter);
            return new Overloads.Fit(found, values, Overloads.Rest.ELEMENTS, converter.names);
        } catch (Tree.ArgumentError error) {
            if (rest.size() != 1 || rest.getFirst() == null) throw error;
            values[fixed] = converted(found, fixed, rest.getFirst(), converter);
            return new Overloads.Fit(found, values, Overloads.Rest.WHOLE, converter.names);
        }
    }

    private static Object converted(Found found, int place, Object argument, Converter converter) {
        try {
            return converter.convert(argument, found.type(place));
        } catch (Tree.ArgumentError error) {
            Parameter parameter = found.method().getParameters()[place];
            throw new Tree.ArgumentError("argument " + (place + 1) + " (" + parameter.getType().getSimpleName() + "): " + error.getMessage());
        }
    }
}
