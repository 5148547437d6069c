import java.util.Locale;

class Solution {
    static String camel_case(String value) {
        StringBuilder out = new StringBuilder();
        boolean first = true;
        for (String word : value.split("(?U)\\s+")) {
            if (word.isEmpty()) continue;
            int end = word.offsetByCodePoints(0, 1);
            String rest = word.substring(end).toLowerCase(Locale.ROOT);
            out.append(first ? word.toLowerCase(Locale.ROOT) : word.substring(0, end).toUpperCase(Locale.ROOT) + rest);
            first = false;
        }
        return out.toString();
    }
}
