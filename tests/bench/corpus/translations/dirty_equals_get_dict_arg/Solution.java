import java.util.*;

public class Solution {
    public static Map<String, Object> get_dict_arg(String name, List<Map<String, Object>> expected_args, Map<String, Object> expected_kwargs) {
        int n = expected_args == null ? 0 : expected_args.size();
        if (expected_kwargs != null && !expected_kwargs.isEmpty()) {
            if (n > 0) {
                throw new IllegalArgumentException(name + " requires either a single argument or kwargs, not both");
            }
            return expected_kwargs;
        }
        if (n == 0) return new LinkedHashMap<>();
        if (n > 1) {
            throw new IllegalArgumentException(name + " expected at most 1 argument, got " + n);
        }
        Object value = expected_args.get(0);
        if (!(value instanceof Map)) {
            throw new IllegalArgumentException("expected_values must be a dict, got " + value);
        }
        return expected_args.get(0);
    }
}
