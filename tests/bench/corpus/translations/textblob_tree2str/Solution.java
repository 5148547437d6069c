import java.util.*;

public class Solution {
    public static String tree2str(List<List<Object>> tree, String concat) {
        StringJoiner out = new StringJoiner(concat);
        for (List<Object> pair : tree) out.add((String) pair.get(0));
        return out.toString();
    }
}
