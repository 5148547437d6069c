package touchstone;

import java.util.List;

/**
 * What a text decodes to besides null, Boolean, Long, Double, String and BigInteger: the kinds of docs/values.md.
 */
sealed interface Tree {
    /** An array, or what was a tuple or a deque elsewhere. */
    record Sequence(List<Object> items) implements Tree {}

    /** A set or a frozenset. */
    record Set(List<Object> items) implements Tree {}

    record Pair(Object key, Object value) {}

    /** An object with text keys, or one of the tagged maps. */
    record Map(List<Pair> pairs) implements Tree {
        Object get(String key) {
            for (Pair pair : pairs) {
                if (pair.key().equals(key)) return pair.value();
            }
            return null;
        }
    }

    record Bytes(byte[] data) implements Tree {}

    /** A named tuple or a dataclass; each pair is a field. */
    record Record(List<Pair> fields) implements Tree {}

    /** The text is not in the portable form. */
    final class MalformedValueError extends RuntimeException {
        MalformedValueError(String reason, int at) {
            super(reason + " at character " + at);
        }
    }

    /** A result has no portable form. */
    final class UnportableError extends RuntimeException {
        UnportableError(String path, String what) {
            super(shortened(path) + ": " + what + " has no portable form");
        }

        /** A path without its middle where it would push out of sight what stands behind it. */
        private static String shortened(String path) {
            return path.length() > 120 ? path.substring(0, 60) + "…" + path.substring(path.length() - 40) : path;
        }
    }

    /** An argument does not fit the parameter. */
    final class ArgumentError extends RuntimeException {
        ArgumentError(String message) {
            super(message);
        }
    }
}
