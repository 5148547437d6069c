import java.util.ArrayList;
import java.util.List;

public class Solution {
    public static List<Object> get_prefetcher_and_cache_config(Object cache_type) {
        List<Object> result = new ArrayList<>();
        result.add(cache_type == null ? "adaptive" : cache_type);
        result.add(cache_type == null ? "default" : "explicit");
        return result;
    }
}
