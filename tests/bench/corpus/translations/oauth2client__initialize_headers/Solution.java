import java.util.LinkedHashMap;
import java.util.Map;

public class Solution {
    public static Map<String, Long> initialize_headers(Map<String, Long> headers) {
        return headers == null ? new LinkedHashMap<>() : new LinkedHashMap<>(headers);
    }
}
