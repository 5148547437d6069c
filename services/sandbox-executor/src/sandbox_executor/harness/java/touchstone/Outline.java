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
            + "(class|interface|enum|record|@\\s*interface)\\s+([\\p{L}_$][\\p{L}\\p{N}_$]*)"
    );
    private static final Pattern CLAUSE = Pattern.compile("(?:package|import)\\s");
    private static final Pattern ANNOTATION = Pattern.compile("@\\s*(?!interface\\b)[\\p{L}_$][\\p{L}\\p{N}_$]*(?:\\s*\\.\\s*[\\p{L}_$][\\p{L}\\p{N}_$]*)*");
    private static final Pattern IMPORT = Pattern.compile("(?:^|(?<=;))\\s*import\\s[^;]*;", Pattern.MULTILINE);

    static Outline of(String text) {
        String code = withoutWords(text);
        Matcher found = PACKAGE.matcher(code);
        String packageName = found.find() ? found.group(1) : "";
        String first = "";
        for (Matcher type = TYPE.matcher(code); type.find(); ) {
            if (depth(code, type.start()) != 0) continue;
            if (type.group(1).contains("public")) return new Outline(packageName, type.group(3));
            if (first.isEmpty()) first = type.group(3);
        }
        return new Outline(packageName, first);
    }

    /**
     * The text as a compilation unit: bare methods get a class around them and the types beside them, on the lines
     * where all of it stands.
     */
    static String asUnit(String text) {
        String code = withoutAnnotations(withoutWords(text));
        if (!of(text).publicType().isEmpty() && !hasBareMember(code)) return text;
        Matcher found = PACKAGE.matcher(code);
        int head = found.find() ? found.end() : 0;
        int body = head;
        for (Matcher imported = IMPORT.matcher(code); imported.find(); ) {
            if (depth(code, imported.start()) == 0) body = Math.max(body, imported.end());
        }
        String name = "Candidate";
        while (Pattern.compile("\\b" + name + "\\b").matcher(code).find()) name += "_";
        String usual = "import java.util.*;import java.util.function.*;import java.util.stream.*;import java.math.*;";
        String opening = " class " + name + " {";
        return text.substring(0, head) + usual + text.substring(head, body) + opening + withStaticClasses(text, code, body) + "\n}";
    }

    /** Whether a method or a field stands outside of any type. */
    private static boolean hasBareMember(String code) {
        int depth = 0;
        int from = 0;
        for (int i = 0; i < code.length(); i++) {
            char sign = code.charAt(i);
            if (depth == 0 && (sign == '{' || sign == ';') && isMember(code.substring(from, i).strip())) return true;
            if (sign == '{') depth++;
            else if (sign == '}') depth = Math.max(0, depth - 1);
            if (depth == 0 && (sign == '}' || sign == ';')) from = i + 1;
        }
        return false;
    }

    private static boolean isMember(String head) {
        return !head.isEmpty() && !CLAUSE.matcher(head).lookingAt() && !TYPE.matcher(head).lookingAt();
    }

    /** The text from a place on, its outermost classes static: beside static methods they are made without an instance. */
    private static String withStaticClasses(String text, String code, int from) {
        StringBuilder made = new StringBuilder();
        int done = from;
        for (Matcher type = TYPE.matcher(code); type.find(); ) {
            if (type.start() < from || !type.group(2).equals("class") || type.group(1).contains("static")) continue;
            if (depth(code, type.start()) != 0) continue;
            made.append(text, done, type.start()).append("static ");
            done = type.start();
        }
        return made.append(text, done, text.length()).toString();
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

    /** The code with annotations blanked: their values may hold braces. */
    private static String withoutAnnotations(String code) {
        StringBuilder left = new StringBuilder(code);
        for (Matcher found = ANNOTATION.matcher(code); found.find(); ) {
            int end = found.end();
            int open = end;
            while (open < code.length() && Character.isWhitespace(code.charAt(open))) open++;
            if (open < code.length() && code.charAt(open) == '(') {
                int depth = 0;
                for (end = open; end < code.length(); end++) {
                    if (code.charAt(end) == '(') depth++;
                    else if (code.charAt(end) == ')' && --depth == 0) break;
                }
                end = Math.min(end + 1, code.length());
            }
            for (int at = found.start(); at < end; at++) {
                if (code.charAt(at) != '\n') left.setCharAt(at, ' ');
            }
        }
        return left.toString();
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
