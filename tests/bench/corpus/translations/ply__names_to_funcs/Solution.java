import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

class Solution {
    static List<List<Object>> names_to_funcs(List<List<Object>> namelist, Map<String, Object> fdict) {
        List<List<Object>> found = new ArrayList<>();
        for (List<Object> item : namelist) {
            boolean named = item != null && !item.isEmpty() && item.get(0) instanceof String name && !name.isEmpty();
            found.add(named ? Arrays.asList(fdict.get((String) item.get(0)), item.get(1)) : item);
        }
        return found;
    }
}
