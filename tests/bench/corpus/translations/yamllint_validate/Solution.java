import java.util.List;
import java.util.Map;

class Solution {
    static String VALIDATE(Map<String, Object> conf) {
        boolean required = Boolean.TRUE.equals(conf.get("required"));
        boolean extraAllowed = some(conf.get("extra-allowed")), extraRequired = some(conf.get("extra-required"));
        if (required && extraAllowed) return "cannot use both \"required: true\" and \"extra-allowed\"";
        if (required && extraRequired) return "cannot use both \"required: true\" and \"extra-required\"";
        if (!required && extraAllowed) return "cannot use both \"required: false\" and \"extra-allowed\"";
        return null;
    }

    static boolean some(Object list) {
        return list instanceof List<?> found && !found.isEmpty();
    }
}
