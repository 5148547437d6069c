import java.util.List;

class Solution {
    static String import_string(List<List<String>> names) {
        StringBuilder b = new StringBuilder();
        boolean first = true;
        for (List<String> n : names) {
            if (!first) b.append(", ");
            first = false;
            b.append(n.get(0));
            if (n.get(1) != null) b.append(" as ").append(n.get(1));
        }
        return b.toString();
    }
}
