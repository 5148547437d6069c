import java.util.*;

public class Solution {
    public static boolean smb_raw_io_readable(Object mode) {
        if (mode instanceof String) {
            String s = (String) mode;
            return s.contains("r") || s.contains("+");
        }
        Collection<?> c = mode instanceof Map ? ((Map<?, ?>) mode).keySet() : (Collection<?>) mode;
        for (Object e : c) {
            if ("r".equals(e) || "+".equals(e)) return true;
        }
        return false;
    }
}
