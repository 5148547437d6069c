import java.math.BigInteger;
import java.util.*;

public class Solution {
    private static boolean falsy(Object v) {
        if (v == null) return true;
        if (v instanceof Boolean) return !((Boolean) v);
        if (v instanceof BigInteger) return ((BigInteger) v).signum() == 0;
        if (v instanceof Double || v instanceof Float) return ((Number) v).doubleValue() == 0.0;
        if (v instanceof Number) return ((Number) v).longValue() == 0L;
        if (v instanceof CharSequence) return ((CharSequence) v).length() == 0;
        if (v instanceof Collection) return ((Collection<?>) v).isEmpty();
        if (v instanceof Map) return ((Map<?, ?>) v).isEmpty();
        return false;
    }

    public static String get_stanza_processors(String lang_code, Map<String, Map<String, Object>> resources) {
        Map<String, Object> entry = resources.get(lang_code);
        if (entry != null && !falsy(entry.get("mwt"))) return "tokenize,mwt";
        return "tokenize";
    }
}
