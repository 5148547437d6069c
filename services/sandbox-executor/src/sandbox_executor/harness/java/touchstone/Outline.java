package touchstone;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a source says of itself before it is compiled.
 *
 * @param packageName empty for the unnamed package
 * @param publicType the public top-level type, else the first one; empty when there is none
 */
record Outline(String packageName, String publicType) {
    private static final Pattern PACKAGE = Pattern.compile("^[ \\t]*package\\s+([\\w.]+)\\s*;", Pattern.MULTILINE);
    private static final Pattern TYPE = Pattern.compile(
        "(?<![\\w.@])((?:(?:public|final|abstract|sealed|non-sealed|strictfp|static|private|protected)\\s+)*)"
            + "(?:class|interface|enum|record|@\\s*interface)\\s+([\\p{L}_$][\\p{L}\\p{N}_$]*)"
    );
    private static final Pattern IMPORT = Pattern.compile("^[ \\t]*import\\s[^;]*;", Pattern.MULTILINE);

    static Outline of(String text) {
        String code = withoutWords(text);
        Matcher found = PACKAGE.matcher(code);
        String packageName = found.find() ? found.group(1) : "";
        String first = "";
        for (Matcher type = TYPE.matcher(code); type.find(); ) {
            if (depth(code, type.start()) != 0) continue;
            if (type.group(1).contains("public")) return new Outline(packageName, type.group(2));
            if (first.isEmpty()) first = type.group(2);
        }
        return new Outline(packageName, first);
    }

    /**
     * The text as a compilation unit: a bare method gets a class around it, on the lines where it stands.
     */
    static String asUnit(String text) {
        String code = withoutWords(text);
        if (!of(text).publicType().isEmpty()) return text;
        int body = 0;
        for (Matcher imported = IMPORT.matcher(code); imported.find(); ) body = imported.end();
        String usual = "import java.util.*;import java.util.function.*;import java.util.stream.*;import java.math.*;";
        return usual + text.substring(0, body) + " class Candidate {" + text.substring(body) + "\n}";
    }

    private static int depth(String code, int end) {
        int depth = 0;
        for (int i = 0; i < end; i++) {
            if (code.charAt(i) == '{') depth++;
            else if (code.charAt(i) == '}') depth--;
        }
        return depth;
    }

    /** The text with comments, strings and character literals blanked; every other character stays in its place. */
    private static String withoutWords(String text) {
        StringBuilder code = new StringBuilder(text);
        int i = 0;
        while (i < text.length()) {
            int end;
            if (text.startsWith("//", i)) end = until(text, "\n", i + 2) - 1;
            else if (text.startsWith("/*", i)) end = until(text, "*/", i + 2);
            else if (text.startsWith("\"\"\"", i)) end = literal(text, "\"\"\"", i + 3);
            else if (text.charAt(i) == '"') end = literal(text, "\"", i + 1);
            else if (text.charAt(i) == '\'') end = literal(text, "'", i + 1);
            else {
                i++;
                continue;
            }
            for (int at = i; at < Math.min(end, text.length()); at++) {
                if (code.charAt(at) != '\n') code.setCharAt(at, ' ');
            }
            i = Math.max(end, i + 1);
        }
        return code.toString();
    }

    private static int until(String text, String mark, int from) {
        int at = text.indexOf(mark, from);
        return at < 0 ? text.length() + 1 : at + mark.length();
    }

    private static int literal(String text, String mark, int from) {
        for (int i = from; i < text.length(); i++) {
            if (text.charAt(i) == '\\') i++;
            else if (text.startsWith(mark, i)) return i + mark.length();
            else if (text.charAt(i) == '\n' && mark.length() == 1) return i;
        }
        return text.length();
    }
}
