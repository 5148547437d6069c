import java.util.List;

class Solution {
    static boolean safe_string_equals(List<String> a, List<String> b) {
        if (a.size() != b.size()) return false;
        boolean same = true;
        for (int i = 0; i < a.size(); i++) if (!a.get(i).equals(b.get(i))) same = false;
        return same;
    }
}
