import java.util.Collection;
import java.util.Map;

public class Solution {
    public static boolean node_is_leaf(Map<String, Object> successors, String initial_tree_id, String tree_id) {
        String id = tree_id == null ? initial_tree_id : tree_id;
        if (id == null) return true;
        Object x = successors.get(id);
        if (x == null) return true;
        if (x instanceof String) return ((String) x).isEmpty();
        if (x instanceof Collection) return ((Collection<?>) x).isEmpty();
        if (x instanceof Map) return ((Map<?, ?>) x).isEmpty();
        if (x instanceof Boolean) return !((Boolean) x);
        if (x instanceof Number) return ((Number) x).doubleValue() == 0.0;
        return false;
    }
}
