package touchstone;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which of the candidate's classes use one another, as their class files tell: what is used is a helper of the other. */
final class Mentions {
    private final Map<String, byte[]> classes;

    Mentions(Map<String, byte[]> classes) {
        this.classes = classes;
    }

    /** Whether a class, or one nested in it, uses another one. */
    boolean uses(Class<?> user, Class<?> used) {
        for (Map.Entry<String, byte[]> one : classes.entrySet()) {
            if (!isWithin(one.getKey(), user)) continue;
            if (named(one.getValue()).stream().anyMatch(name -> isWithin(name, used))) return true;
        }
        return false;
    }

    private static boolean isWithin(String name, Class<?> type) {
        return name.equals(type.getName()) || name.startsWith(type.getName() + "$");
    }

    /** The classes that a class file names, in the constant pool's form (JVMS 4.4). */
    private static Set<String> named(byte[] bytes) {
        Map<Integer, String> texts = new HashMap<>();
        List<Integer> places = new ArrayList<>();
        try (DataInputStream file = new DataInputStream(new ByteArrayInputStream(bytes))) {
            // The magic number and the version.
            file.skipNBytes(8);
            int count = file.readUnsignedShort();
            for (int i = 1; i < count; i++) {
                switch (file.readUnsignedByte()) {
                    case 1 -> texts.put(i, file.readUTF());
                    case 7 -> places.add(file.readUnsignedShort());
                    case 8, 16, 19, 20 -> file.skipNBytes(2);
                    case 15 -> file.skipNBytes(3);
                    case 5, 6 -> {
                        // A long or a double takes two places.
                        file.skipNBytes(8);
                        i++;
                    }
                    default -> file.skipNBytes(4);
                }
            }
        } catch (IOException error) {
            throw new IllegalStateException("a class file that cannot be read", error);
        }
        Set<String> found = new HashSet<>();
        for (int place : places) found.add(texts.get(place).replaceFirst("^\\[+L?", "").replace(";", "").replace('/', '.'));
        return found;
    }
}
