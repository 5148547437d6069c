import java.util.ArrayList;
import java.util.List;

class Solution {
    static List<Object> path_join(List<Object> path, String key) {
        List<Object> out = new ArrayList<>(path);
        if (key != null) out.add(key);
        return out;
    }
}
