package touchstone;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** The harness: compiles and loads the candidate, answers one frame per case (docs/harness-protocol.md). */
public final class Main {
    private static final int REQUESTS = 3;
    private static final int RESPONSES = 4;
    private static final int TYPE_LIMIT = 200;
    private static final int MESSAGE_LIMIT = 2000;
    /** Deep recursion is ordinary in candidates; the pages are touched only when used. */
    private static final long STACK_BYTES = 64L << 20;

    private final DataInputStream requests;
    private final FileOutputStream responses;

    private Main() throws ReflectiveOperationException {
        // Opened by number: a path below /proc may belong to another user.
        Constructor<FileDescriptor> byNumber = FileDescriptor.class.getDeclaredConstructor(int.class);
        byNumber.setAccessible(true);
        requests = new DataInputStream(new BufferedInputStream(new FileInputStream(byNumber.newInstance(REQUESTS)), 1 << 16));
        responses = new FileOutputStream(byNumber.newInstance(RESPONSES));
    }

    /** Serves until the requests end. */
    public static void main(String[] arguments) throws Exception {
        Main harness = new Main();
        Thread thread = new Thread(null, harness::serve, "candidate", STACK_BYTES);
        thread.start();
        thread.join();
        // Exit hooks are the candidate's.
        Runtime.getRuntime().halt(0);
    }

    private void serve() {
        try {
            String order = read();
            if (order == null) return;
            EntryPoint entry = load((Tree.Map) Reader.decode(order));
            if (entry == null) return;
            write("{\"o\":\"ready\"}");
            for (String request = read(); request != null; request = read()) write(answer(entry, request));
        } catch (IOException error) {
            System.err.println("harness: " + error);
            Runtime.getRuntime().halt(70);
        }
    }

    private String read() throws IOException {
        try {
            byte[] body = new byte[requests.readInt()];
            requests.readFully(body);
            return new String(body, StandardCharsets.UTF_8);
        } catch (EOFException end) {
            return null;
        }
    }

    private void write(String text) throws IOException {
        System.out.flush();
        System.err.flush();
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        responses.write(ByteBuffer.allocate(4 + body.length).putInt(body.length).put(body).array());
    }

    private EntryPoint load(Tree.Map order) throws IOException {
        String type = "CompileError";
        String message;
        try {
            Path source = Path.of((String) order.get("source"));
            String written = Files.readString(source);
            String name = (String) order.get("entry");
            var unit = new CandidateCompiler.Source(source.getFileName().toString(), Outline.asUnit(written), written);
            var classes = CandidateCompiler.compile(List.of(unit));
            EntryPoint entry = EntryPoint.find(classes, name);
            if (entry != null) return entry;
            type = "EntryPointError";
            message = name + " is not a method of the candidate; it has " + EntryPoint.names(classes);
        } catch (CandidateCompiler.CompileError error) {
            message = error.getMessage();
        } catch (ClassNotFoundException | LinkageError error) {
            type = error.getClass().getName();
            message = String.valueOf(error.getMessage());
        }
        write("{\"o\":\"load_error\",\"t\":" + words(type, TYPE_LIMIT) + ",\"m\":" + words(message, MESSAGE_LIMIT) + "}");
        return null;
    }

    private static String words(String text, int limit) {
        return Writer.quote(text.length() > limit ? text.substring(0, limit) : text);
    }

    private static String answer(EntryPoint entry, String request) {
        String head = request.substring(0, request.indexOf(','));
        try {
            Object arguments = ((Tree.Map) Reader.decode(request)).get("args");
            List<Object> values = switch (arguments) {
                case Tree.Sequence sequence -> sequence.items();
                case Tree.Map map -> map.pairs().stream().map(Tree.Pair::value).toList();
                default -> throw new Tree.ArgumentError("arguments that are no array and no object");
            };
            return head + ",\"o\":\"returned\",\"v\":" + entry.call(values) + "}";
        } catch (Throwable thrown) {
            return head + ",\"o\":\"raised\"," + describe(thrown) + "}";
        }
    }

    /** What went wrong while a class was made ready: that it was not is all that the virtual machine says of it. */
    private static Throwable cause(Throwable thrown) {
        try {
            if (thrown instanceof ExceptionInInitializerError && thrown.getCause() != null) return thrown.getCause();
            // From the second time on.
            if (thrown instanceof NoClassDefFoundError && thrown.getCause() instanceof ExceptionInInitializerError cause) return cause;
        } catch (Throwable again) {
            return thrown;
        }
        return thrown;
    }

    /** Type and message of whatever was thrown; asking it may itself throw. */
    private static String describe(Throwable thrown) {
        thrown = cause(thrown);
        String type = thrown instanceof Tree.UnportableError || thrown instanceof Tree.ArgumentError || thrown instanceof Tree.MalformedValueError
            ? thrown.getClass().getSimpleName()
            : thrown.getClass().getName();
        String message;
        try {
            message = Objects.requireNonNullElse(thrown.getMessage(), "");
        } catch (Throwable again) {
            message = "a message that cannot be shown";
        }
        return "\"t\":" + words(type, TYPE_LIMIT) + ",\"m\":" + words(message, MESSAGE_LIMIT);
    }
}
