import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public class Solution {
    public static Map<String, Object> ordered_set_update_items(List<Object> items) {
        Map<Object, Object> map = new LinkedHashMap<>();
        int index = 0;
        for (Object item : items) {
            map.put(item, index);
            index++;
        }
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("items", new ArrayList<>(items));
        result.put("map", map);
        return result;
    }
}
