import java.math.*;
import java.util.*;

public class Solution {
    public static long xord(Object char_) {
        if (char_ instanceof String) return ((String) char_).codePointAt(0);
        return ((Number) char_).longValue();
    }
}
