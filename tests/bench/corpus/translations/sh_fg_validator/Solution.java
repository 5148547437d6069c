import java.util.ArrayList;
import java.util.List;
import java.util.Map;

class Solution {
    static List<List<String>> fg_validator(Map<String, Object> passed_kwargs, Map<String, Object> merged_kwargs) {
        List<List<String>> invalid = new ArrayList<>();
        if (truthy(passed_kwargs.get("fg")) && !List.of("env", "fg", "cwd", "ok_code").containsAll(passed_kwargs.keySet())) {
            invalid.add(List.of("fg", "_fg is invalid with nearly every other option, see warning and workaround here:\n\n    https://sh.readthedocs.io/en/latest/sections/special_arguments.html#fg"));
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
