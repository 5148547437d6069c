import java.util.LinkedHashMap;
import java.util.Map;

public class Solution {
    private static final String[][] ALIASES = {
        {"root", "root_value"},
        {"context", "context_value"},
        {"variables", "variable_values"},
        {"operation", "operation_name"},
    };

    public static Map<String, Object> normalize_execute_kwargs(Map<String, Object> kwargs) {
        Map<String, Object> result = new LinkedHashMap<>(kwargs);
        for (String[] pair : ALIASES) {
            if (result.containsKey(pair[0]) && !result.containsKey(pair[1])) {
                result.put(pair[1], result.remove(pair[0]));
            }
        }
        return result;
    }
}
