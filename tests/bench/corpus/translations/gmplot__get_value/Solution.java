import java.util.ArrayList;
import java.util.List;
import java.util.Map;

public class Solution {
    public static Object get_value(Map<String, Object> dict, List<String> keys, Object default_, boolean get_key) {
        if (dict != null) {
            for (String key : keys) {
                Object value = dict.get(key);
                if (value != null) return get_key ? pair(key, value) : value;
            }
        }
        return get_key ? pair(null, default_) : default_;
    }

    private static List<Object> pair(Object key, Object value) {
        List<Object> result = new ArrayList<>();
        result.add(key);
        result.add(value);
        return result;
    }
}
