import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

class Solution {
    static List<List<Object>> _items(List<Map<String, Object>> structure) {
        List<List<Object>> found = new ArrayList<>();
        for (int i = 0; i < structure.size(); i++) found.add(Arrays.asList((long) i, structure.get(i)));
        return found;
    }
}
