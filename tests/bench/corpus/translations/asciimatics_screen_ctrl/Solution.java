import java.math.*;
import java.util.*;

public class Solution {
    public static Long ctrl(Object char_) {
        long code;
        if (char_ instanceof String) {
            String up = ((String) char_).toUpperCase(Locale.ROOT);
            if (up.codePointCount(0, up.length()) != 1) return null;
            code = up.codePointAt(0);
        } else if (char_ instanceof BigInteger) {
            return null;
        } else if (char_ instanceof Number) {
            code = ((Number) char_).longValue();
        } else {
            return null;
        }
        return code >= 64 && code <= 95 ? Long.valueOf(code - 64) : null;
    }
}
