import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

class Solution {
    static List<String> canonsort_keys(List<String> keys, List<String> canonical_order) {
        Map<String, Integer> index = new HashMap<>();
        if (canonical_order != null) {
            for (int i = 0; i < canonical_order.size(); i++) index.put(canonical_order.get(i), i);
        }
        List<String> head = new ArrayList<>(), tail = new ArrayList<>();
        for (String k : keys) (index.containsKey(k) ? head : tail).add(k);
        head.sort((a, b) -> Integer.compare(index.get(a), index.get(b)));
        tail.sort((a, b) -> a.compareTo(b));
        head.addAll(tail);
        return head;
    }
}
