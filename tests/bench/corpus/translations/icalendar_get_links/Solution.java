import java.util.ArrayList;
import java.util.List;
import java.util.Map;

class Solution {
    static List<Object> get_links(Map<String, Object> self) {
        if (!self.containsKey("LINK")) return new ArrayList<>();
        Object link = self.get("LINK");
        List<Object> out = new ArrayList<>();
        if (link instanceof List) out.addAll((List<?>) link);
        else out.add(link);
        return out;
    }
}
