import java.util.*;

public class Solution {
    public static List<Double> rotate_point(List<Double> point, long rotation) {
        int q = (int) Math.floorMod(rotation, 4L);
        if (q == 0) return point;
        if (point.size() < 2) throw new IllegalArgumentException("a point needs two numbers");
        double x = point.get(0);
        double y = point.get(1);
        double a, b;
        // 0.0 - v: a whole 0 stays 0
        if (q == 1) {
            a = y;
            b = 0.0 - x;
        } else if (q == 2) {
            a = 0.0 - x;
            b = 0.0 - y;
        } else {
            a = 0.0 - y;
            b = x;
        }
        return new ArrayList<>(Arrays.asList(a, b));
    }
}
