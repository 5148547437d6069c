import java.util.ArrayList;
import java.util.List;
import java.util.Map;

class Solution {
    static List<List<Object>> output_iterator_validator(Map<String, Object> passed_kwargs, Map<String, Object> merged_kwargs) {
        List<List<Object>> invalid = new ArrayList<>();
        Object iter = passed_kwargs.get("iter");
        if (truthy(passed_kwargs.get("no_out")) && ("out".equals(iter) || Boolean.TRUE.equals(iter))) {
            invalid.add(List.of(List.of("no_out", "iter"), "You cannot iterate over output if there is no output"));
        }
        return invalid;
    }

    private static boolean truthy(Object v) {
        if (v == null) return false;
        if (v instanceof Boolean) return (Boolean) v;
        if (v instanceof Number) return ((Number) v).doubleValue() != 0;
        if (v instanceof String) return !((String) v).isEmpty();
        if (v instanceof java.util.Collection) return !((java.util.Collection<?>) v).isEmpty();
        if (v instanceof Map) return !((Map<?, ?>) v).isEmpty();
        return true;
    }
}
