import java.util.LinkedHashMap;
import java.util.Map;

class Solution {
    static Map<String, Object> prepare_bearer_headers(String token, Map<String, Object> headers) {
        Map<String, Object> out = new LinkedHashMap<>();
        if (headers != null) out.putAll(headers);
        out.put("Authorization", "Bearer " + token);
        return out;
    }
}
