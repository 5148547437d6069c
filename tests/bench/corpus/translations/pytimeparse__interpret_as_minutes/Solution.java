import java.util.LinkedHashMap;
import java.util.Map;

public class Solution {
    public static Map<String, String> interpret_as_minutes(String sval, Map<String, String> mdict) {
        Map<String, String> result = new LinkedHashMap<>(mdict);
        int first = sval.indexOf(':');
        boolean oneColon = first >= 0 && sval.indexOf(':', first + 1) < 0;
        if (oneColon
                && sval.indexOf('.') < 0
                && result.get("hours") == null
                && result.get("days") == null
                && result.get("weeks") == null
                && result.get("mins") != null
                && result.get("secs") != null) {
            result.put("hours", result.get("mins"));
            result.put("mins", result.get("secs"));
            result.remove("secs");
        }
        return result;
    }
}
