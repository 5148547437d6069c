import java.util.*;

public class Solution {
    public static List<Object> invalid_messages(Object msg) {
        List<Object> out = new ArrayList<>();
        if (msg == null) return out;
        if (msg instanceof List) {
            out.addAll((List<?>) msg);
            return out;
        }
        out.add(msg);
        return out;
    }
}
