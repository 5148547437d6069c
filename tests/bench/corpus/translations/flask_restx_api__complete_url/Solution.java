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

    private static String piece(Object v) {
        if (v instanceof String) return (String) v;
        if (falsy(v)) return "";
        throw new ClassCastException("a part is neither a text nor absent");
    }

    public static String api_complete_url(String prefix, Object url_part, String registration_prefix) {
        return piece(registration_prefix) + piece(prefix) + piece(url_part);
    }
}
