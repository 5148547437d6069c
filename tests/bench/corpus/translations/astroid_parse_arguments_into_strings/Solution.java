import java.util.ArrayList;
import java.util.List;
import java.util.Map;

class Solution {
    static List<String> parse_arguments_into_strings(Map<String, List<String>> pos_only_store, Map<String, List<String>> kw_only_store) {
        return List.of(join(pos_only_store), join(kw_only_store));
    }

    private static int compareText(String a, String b) {
        int n = Math.min(a.length(), b.length());
        for (int i = 0; i < n; i++) {
            char c = a.charAt(i), d = b.charAt(i);
            if (c != d) {
                boolean x = Character.isSurrogate(c), y = Character.isSurrogate(d);
                if (x != y) return x ? 1 : -1;
                return c - d;
            }
        }
        return a.length() - b.length();
    }

    private static String join(Map<String, List<String>> store) {
        List<String> names = new ArrayList<>(store.keySet());
        names.sort(Solution::compareText);
        StringBuilder b = new StringBuilder();
        for (String name : names) {
            String type = store.get(name).get(0), value = store.get(name).get(1);
            b.append(name);
            if (type != null && !type.isEmpty()) b.append(": ").append(type);
            if (value != null && !value.isEmpty()) b.append(" = ").append(value);
            b.append(", ");
        }
        return b.toString();
    }
}
