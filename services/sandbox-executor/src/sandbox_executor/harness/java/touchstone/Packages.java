package touchstone;

import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The archives of a prepared environment, which candidates are compiled against and see beside the platform. */
final class Packages {
    private static final Path FOLDER = Path.of("/runtime/environment");
    private static final List<Path> ARCHIVES = list();

    private Packages() {}

    private static List<Path> list() {
        if (!Files.isDirectory(FOLDER)) return List.of();
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(path -> path.toString().endsWith(".jar")).sorted().toList();
        } catch (IOException error) {
            throw new IllegalStateException(FOLDER.toString(), error);
        }
    }

    /** What loads the archives' classes; the platform's own loader where there are none. */
    static ClassLoader loader() {
        return ARCHIVES.isEmpty() ? ClassLoader.getPlatformClassLoader() : Made.LOADER;
    }

    /** The folders of classes that the archives have, each with those above it, as names with dots. */
    static Set<String> names() {
        return ARCHIVES.isEmpty() ? Set.of() : Made.NAMES;
    }

    /** The bytes of a class by its name with slashes; null where no archive has it. */
    static byte[] bytes(String path) throws IOException {
        JarFile archive = ARCHIVES.isEmpty() ? null : Made.OWNERS.get(path + ".class");
        if (archive == null) return null;
        try (InputStream stream = archive.getInputStream(archive.getEntry(path + ".class"))) {
            return stream.readAllBytes();
        }
    }

    /** Opened when the first class of an archive is wanted. */
    private static final class Made {
        static final Map<String, JarFile> OWNERS = new HashMap<>();
        static final Set<String> NAMES = new HashSet<>();
        static final ClassLoader LOADER;

        static {
            List<URL> places = new ArrayList<>();
            try {
                for (Path path : ARCHIVES) {
                    places.add(path.toUri().toURL());
                    JarFile archive = new JarFile(path.toFile(), false, JarFile.OPEN_READ, Runtime.version());
                    archive.versionedStream().filter(entry -> entry.getName().endsWith(".class")).forEach(entry -> {
                        if (OWNERS.putIfAbsent(entry.getName(), archive) != null) return;
                        String name = entry.getName().replace('/', '.');
                        for (int at = name.lastIndexOf('.', name.length() - 7); at > 0; at = name.lastIndexOf('.', at - 1)) NAMES.add(name.substring(0, at));
                    });
                }
            } catch (MalformedURLException error) {
                throw new IllegalStateException(error);
            } catch (IOException error) {
                throw new IllegalStateException("an archive of the environment cannot be read", error);
            }
            LOADER = new URLClassLoader(places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        }
    }
}
