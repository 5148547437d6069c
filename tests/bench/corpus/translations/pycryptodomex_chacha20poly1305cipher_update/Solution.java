import java.util.*;

class Solution {
    public static Map<String, Object> cha_cha20_poly1305_cipher_update(Map<String, Object> next, Map<String, Object> authenticator, double len_aad, Map<String, Object> data) {
        if (!next.containsKey("update")) throw new IllegalStateException("update() method cannot be called");
        Map<String, Object> merged = new LinkedHashMap<>(authenticator);
        merged.putAll(data);
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("authenticator", merged);
        out.put("len_aad", len_aad + data.size());
        return out;
    }
}
