import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public class Solution {
    @SuppressWarnings("unchecked")
    public static Map<String, List<String>> fluent_resource_loader_init(Object roots) {
        List<String> own;
        if (roots instanceof String) {
            own = new ArrayList<>();
            own.add((String) roots);
        } else {
            own = (List<String>) roots;
        }
        Map<String, List<String>> result = new LinkedHashMap<>();
        result.put("roots", own);
        return result;
    }
}
