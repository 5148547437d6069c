import java.util.ArrayList;
import java.util.List;

class Solution {
    static List<List<Double>> line_ranges(List<Double> statements, List<Double> lines) {
        List<Double> s = new ArrayList<>(statements), l = new ArrayList<>(lines);
        s.sort(null);
        l.sort(null);
        List<List<Double>> pairs = new ArrayList<>();
        double start = 0, end = 0; // start 0: no range is open
        int next = 0;
        for (double x : s) {
            if (next >= l.size()) break;
            if (x == l.get(next).doubleValue()) {
                next++;
                if (start == 0) start = x;
                end = x;
            } else if (start != 0) {
                pairs.add(List.of(start, end));
                start = 0;
            }
        }
        if (start != 0) pairs.add(List.of(start, end));
        return pairs;
    }
}
