package touchstone;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The candidate's method, found by name in the classes that it was compiled to. */
final class EntryPoint {
    private final List<Method> methods;

    private EntryPoint(List<Method> methods) {
        this.methods = methods;
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
        return methods.isEmpty() ? null : new EntryPoint(methods);
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

    /** Calls the first method that the arguments fit. */
    Object call(List<Object> arguments) throws Throwable {
        Tree.ArgumentError refusal = null;
        for (Method method : methods) {
            Object[] values;
            try {
                values = fit(method, arguments);
            } catch (Tree.ArgumentError error) {
                if (refusal == null) refusal = error;
                continue;
            }
            try {
                return method.invoke(Modifier.isStatic(method.getModifiers()) ? null : instance(method.getDeclaringClass()), values);
            } catch (InvocationTargetException error) {
                throw error.getCause();
            }
        }
        throw refusal;
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

    private static Object[] fit(Method method, List<Object> arguments) {
        Type[] types = method.getGenericParameterTypes();
        int count = types.length;
        if (method.isVarArgs() && arguments.size() != count) return spread(method, arguments);
        if (arguments.size() != count) {
            throw new Tree.ArgumentError("the method takes " + count + " arguments, the case has " + arguments.size());
        }
        Object[] values = new Object[count];
        for (int i = 0; i < count; i++) {
            try {
                values[i] = Converter.convert(arguments.get(i), types[i]);
            } catch (Tree.ArgumentError error) {
                Parameter parameter = method.getParameters()[i];
                if (method.isVarArgs() && i == count - 1) return spread(method, arguments);
                throw new Tree.ArgumentError("argument " + (i + 1) + " (" + parameter.getType().getSimpleName() + "): " + error.getMessage());
            }
        }
        return values;
    }

    private static Object[] spread(Method method, List<Object> arguments) {
        Type[] types = method.getGenericParameterTypes();
        int fixed = types.length - 1;
        if (arguments.size() < fixed) {
            throw new Tree.ArgumentError("the method takes at least " + fixed + " arguments, the case has " + arguments.size());
        }
        Object[] values = new Object[types.length];
        for (int i = 0; i < fixed; i++) values[i] = Converter.convert(arguments.get(i), types[i]);
        values[fixed] = Converter.convert(new Tree.Sequence(arguments.subList(fixed, arguments.size())), types[fixed]);
        return values;
    }
}
