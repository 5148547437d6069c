import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

class Solution {
    static List<Double> canonsort_keys(List<Double> keys, List<Double> canonical_order) {
        Map<Double, Integer> index = new HashMap<>();
        if (canonical_order != null) {
            for (int i = 0; i < canonical_order.size(); i++) index.put(canonical_order.get(i) + 0.0, i);
        }
        List<Double> head = new ArrayList<>(), tail = new ArrayList<>();
        for (Double k : keys) (index.containsKey(k + 0.0) ? head : tail).add(k);
        head.sort((a, b) -> Integer.compare(index.get(a + 0.0), index.get(b + 0.0)));
        tail.sort((a, b) -> a < b ? -1 : a > b ? 1 : 0);
        head.addAll(tail);
        return head;
    }
}
