import java.util.ArrayList;
import java.util.List;

class Solution {
    static String flag_words(long flags, List<List<Object>> flag_defs) {
        List<String> words = new ArrayList<>();
        for (List<Object> d : flag_defs) {
            if ((flags & ((Number) d.get(1)).longValue()) != 0) words.add((String) d.get(0));
        }
        return String.join(", ", words);
    }
}
