import java.math.*;
import java.util.*;

public class Solution {
    public static Map<String, List<Object>> finder_add_provider(List<Object> providers, Object provider, Long pos) {
        int n = providers.size();
        if (pos == null) {
            providers.add(provider);
        } else {
            long at = pos;
            if (at < 0) at = Math.max(0L, at + n);
            if (at > n) at = n;
            providers.add((int) at, provider);
        }
        Map<String, List<Object>> result = new LinkedHashMap<>();
        result.put("providers", providers);
        return result;
    }
}
