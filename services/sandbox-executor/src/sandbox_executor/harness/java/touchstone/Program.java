package touchstone;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Whole programs: `build SOURCE FOLDER` compiles, `run FOLDER ARGUMENTS` starts the main method. */
public final class Program {
    private static final String MAIN_FILE = ".main";

    private Program() {}

    /** Does what the first argument says. */
    public static void main(String[] arguments) throws Throwable {
        switch (arguments[0]) {
            case "build" -> build(Path.of(arguments[1]), Path.of(arguments[2]));
            case "run" -> run(Path.of(arguments[1]), Arrays.copyOfRange(arguments, 2, arguments.length));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void build(Path source, Path target) throws IOException {
        List<CandidateCompiler.Source> sources = new ArrayList<>();
        Path folder = source.toAbsolutePath().getParent();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).filter(path -> path.toString().endsWith(".java")).sorted().toList()) {
                String written = Files.readString(file);
                String text = file.equals(source.toAbsolutePath()) ? Outline.asUnit(written) : written;
                sources.add(new CandidateCompiler.Source(folder.relativize(file).toString(), text, written));
            }
        }
        Map<String, byte[]> classes;
        try {
            classes = CandidateCompiler.compile(sources);
        } catch (CandidateCompiler.CompileError error) {
            System.err.println(error.getMessage());
            System.exit(1);
            return;
        }
        for (Map.Entry<String, byte[]> made : classes.entrySet()) {
            Path file = target.resolve(made.getKey().replace('.', '/') + ".class");
            Files.createDirectories(file.getParent());
            Files.write(file, made.getValue());
        }
        Outline outline = Outline.of(Outline.asUnit(Files.readString(source)));
        Files.writeString(target.resolve(MAIN_FILE), mainClass(classes, outline));
    }

    /** The public class when it has a main method, else the first class that has one. */
    private static String mainClass(Map<String, byte[]> classes, Outline outline) {
        EntryPoint.Loader loader = new EntryPoint.Loader(classes);
        String preferred = outline.packageName().isEmpty() ? outline.publicType() : outline.packageName() + "." + outline.publicType();
        List<String> names = new ArrayList<>(classes.keySet());
        if (names.remove(preferred)) names.addFirst(preferred);
        for (String name : names) {
            try {
                if (mainMethod(Class.forName(name, false, loader)) != null) return name;
            } catch (ClassNotFoundException | LinkageError error) {
                continue;
            }
        }
        System.err.println("no class has a main method");
        System.exit(1);
        return "";
    }

    private static Method mainMethod(Class<?> type) {
        for (Class<?>[] parameters : new Class<?>[][] {{String[].class}, {}}) {
            try {
                Method method = type.getDeclaredMethod("main", parameters);
                if (Modifier.isStatic(method.getModifiers()) || isMade(type)) return method;
            } catch (NoSuchMethodException error) {
                continue;
            }
        }
        return null;
    }

    /** Whether a main method that is not static can have its object (JLS 12.1.4). */
    private static boolean isMade(Class<?> type) {
        if (Modifier.isAbstract(type.getModifiers()) || (type.isMemberClass() && !Modifier.isStatic(type.getModifiers()))) return false;
        return Arrays.stream(type.getDeclaredConstructors()).anyMatch(one -> one.getParameterCount() == 0 && !Modifier.isPrivate(one.getModifiers()));
    }

    private static Object instance(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    private static void run(Path folder, String[] arguments) throws Throwable {
        ClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, Packages.loader());
        Thread.currentThread().setContextClassLoader(loader);
        Method main = mainMethod(Class.forName(Files.readString(folder.resolve(MAIN_FILE)), true, loader));
        main.setAccessible(true);
        try {
            Object owner = Modifier.isStatic(main.getModifiers()) ? null : instance(main.getDeclaringClass());
            main.invoke(owner, main.getParameterCount() == 0 ? new Object[0] : new Object[] {arguments});
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }
}
