import java.util.ArrayList;
import java.util.List;
import java.util.Set;

class Solution {
    static boolean is_string_literal(Object line) {
        List<Object> all = new ArrayList<>();
        if (line instanceof String text) text.codePoints().forEach(point -> all.add(Character.toString(point)));
        else all.addAll((List<?>) line);
        if (!all.isEmpty() && Set.of("u", "U", "b", "B").contains(all.get(0))) all.remove(0);
        if (!all.isEmpty() && Set.of("r", "R").contains(all.get(0))) all.remove(0);
        return !all.isEmpty() && (all.get(0).equals("\"") || all.get(0).equals("'"));
    }
}
