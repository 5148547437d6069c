import java.util.LinkedHashMap;
import java.util.Map;

public class Solution {
    public static Map<String, String> node_set_initial_tree_id(String initial_tree_id, String tree_id) {
        Map<String, String> result = new LinkedHashMap<>();
        result.put("initial_tree_id", initial_tree_id == null ? tree_id : initial_tree_id);
        return result;
    }
}
