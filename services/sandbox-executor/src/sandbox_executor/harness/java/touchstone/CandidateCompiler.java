package touchstone;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.eclipse.jdt.core.compiler.CategorizedProblem;
import org.eclipse.jdt.internal.compiler.ClassFile;
import org.eclipse.jdt.internal.compiler.CompilationResult;
import org.eclipse.jdt.internal.compiler.Compiler;
import org.eclipse.jdt.internal.compiler.DefaultErrorHandlingPolicies;
import org.eclipse.jdt.internal.compiler.classfmt.ClassFileReader;
import org.eclipse.jdt.internal.compiler.classfmt.ClassFormatException;
import org.eclipse.jdt.internal.compiler.env.ICompilationUnit;
import org.eclipse.jdt.internal.compiler.env.INameEnvironment;
import org.eclipse.jdt.internal.compiler.env.NameEnvironmentAnswer;
import org.eclipse.jdt.internal.compiler.impl.CompilerOptions;
import org.eclipse.jdt.internal.compiler.lookup.LookupEnvironment;
import org.eclipse.jdt.internal.compiler.lookup.ModuleBinding;
import org.eclipse.jdt.internal.compiler.problem.DefaultProblemFactory;

/** Compiles sources in memory against the running platform; annotation processors are never run. */
final class CandidateCompiler {
    /** The newest version that this compiler knows; an older runtime holds it back. */
    private static final int NEWEST = 25;
    private static final int MOST_PROBLEMS = 20;

    private final Map<String, byte[]> classes = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();

    /**
     * One source file.
     *
     * @param text what is compiled, as it stands
     * @param written what its author wrote, line for line the same: problems are shown in it
     */
    record Source(String file, String text, String written) {}

    /** What did not compile, in the compiler's words. */
    static final class CompileError extends Exception {
        CompileError(String words) {
            super(words);
        }
    }

    /** Gives the class files by name, in the order in which the compiler made them. */
    static Map<String, byte[]> compile(List<Source> sources) throws CompileError {
        CandidateCompiler made = new CandidateCompiler();
        made.run(sources);
        if (!made.problems.isEmpty()) throw new CompileError(String.join("\n", made.problems));
        return made.classes;
    }

    private void run(List<Source> sources) {
        Map<String, String> settings = new HashMap<>();
        int release = Math.min(Runtime.version().feature(), NEWEST);
        settings.put(CompilerOptions.OPTION_Source, Integer.toString(release));
        settings.put(CompilerOptions.OPTION_Compliance, Integer.toString(release));
        settings.put(CompilerOptions.OPTION_TargetPlatform, Integer.toString(release));
        settings.put(CompilerOptions.OPTION_LineNumberAttribute, CompilerOptions.GENERATE);
        // By these the words of a NullPointerException name what was null.
        settings.put(CompilerOptions.OPTION_LocalVariableAttribute, CompilerOptions.GENERATE);
        settings.put(CompilerOptions.OPTION_SourceFileAttribute, CompilerOptions.GENERATE);
        CompilerOptions options = new CompilerOptions(settings);
        options.processAnnotations = false;
        Compiler compiler = new Compiler(
            new Platform(), DefaultErrorHandlingPolicies.proceedWithAllProblems(), options, this::accept, new DefaultProblemFactory(Locale.ENGLISH)
        );
        compiler.compile(sources.stream().map(Unit::new).toArray(ICompilationUnit[]::new));
    }

    private void accept(CompilationResult result) {
        if (result.hasErrors()) {
            for (CategorizedProblem problem : result.getErrors()) report(problem, ((Unit) result.getCompilationUnit()).source());
        }
        for (ClassFile file : result.getClassFiles()) classes.put(new String(file.fileName()).replace('/', '.'), file.getBytes());
    }

    private void report(CategorizedProblem problem, Source source) {
        if (problems.size() == MOST_PROBLEMS) problems.add("and more");
        if (problems.size() > MOST_PROBLEMS) return;
        String[] lines = source.written().split("\n", -1);
        int line = problem.getSourceLineNumber();
        String shown = line >= 1 && line <= lines.length ? "\n    " + lines[line - 1].strip() : "";
        problems.add(source.file() + ":" + line + ": error: " + problem.getMessage() + shown);
    }

    private record Unit(Source source, Outline outline) implements ICompilationUnit {
        Unit(Source source) {
            this(source, Outline.of(source.text()));
        }

        @Override
        public char[] getContents() {
            return source.text().toCharArray();
        }

        @Override
        public char[] getMainTypeName() {
            return outline.publicType().toCharArray();
        }

        @Override
        public char[][] getPackageName() {
            if (outline.packageName().isEmpty()) return new char[0][];
            return java.util.Arrays.stream(outline.packageName().split("\\.")).map(String::toCharArray).toArray(char[][]::new);
        }

        @Override
        public char[] getFileName() {
            return source.file().toCharArray();
        }

        @Override
        public char[] getModuleName() {
            return new char[0];
        }

        @Override
        public ModuleBinding module(LookupEnvironment environment) {
            return environment.UnNamedModule;
        }
    }

    /** The exported packages of the running platform, and those of a prepared environment. */
    private static final class Platform implements INameEnvironment {
        private final Map<String, Module> exported = new HashMap<>();
        private final Set<String> packages = new HashSet<>();
        private final Map<String, NameEnvironmentAnswer> known = new HashMap<>();

        Platform() {
            for (Module module : ModuleLayer.boot().modules()) {
                for (ModuleDescriptor.Exports exports : module.getDescriptor().exports()) {
                    if (exports.isQualified()) continue;
                    String name = exports.source();
                    exported.put(name.replace('.', '/'), module);
                    for (int at = name.length(); at > 0; at = name.lastIndexOf('.', at - 1)) packages.add(name.substring(0, at));
                }
            }
            packages.addAll(Packages.names());
        }

        private NameEnvironmentAnswer find(String name) {
            int at = name.lastIndexOf('/');
            Module module = at < 0 ? null : exported.get(name.substring(0, at));
            return known.computeIfAbsent(name, path -> {
                try {
                    byte[] bytes = module == null ? Packages.bytes(path) : platform(module, path);
                    return bytes == null ? null : new NameEnvironmentAnswer(ClassFileReader.read(bytes, path, true), null);
                } catch (IOException | ClassFormatException error) {
                    throw new IllegalStateException(path, error);
                }
            });
        }

        private static byte[] platform(Module module, String path) throws IOException {
            try (InputStream stream = module.getResourceAsStream(path + ".class")) {
                return stream == null ? null : stream.readAllBytes();
            }
        }

        private static String join(char[][] parts, String with) {
            StringBuilder name = new StringBuilder();
            for (char[] part : parts == null ? new char[0][] : parts) name.append(name.isEmpty() ? "" : with).append(part);
            return name.toString();
        }

        @Override
        public NameEnvironmentAnswer findType(char[][] compoundName) {
            return find(join(compoundName, "/"));
        }

        @Override
        public NameEnvironmentAnswer findType(char[] name, char[][] packageName) {
            String owner = join(packageName, "/");
            return find(owner.isEmpty() ? new String(name) : owner + "/" + new String(name));
        }

        @Override
        public boolean isPackage(char[][] parent, char[] name) {
            String owner = join(parent, ".");
            return packages.contains(owner.isEmpty() ? new String(name) : owner + "." + new String(name));
        }

        @Override
        public void cleanup() {}
    }
}
