import java.math.*;
import java.util.*;

public class Solution {
    public static Object GetComments(Map<String, Object> value) {
        if (value.containsKey("description")) return value.get("description");
        if (value.containsKey("annotations")) return value.get("annotations");
        return "";
    }
}
