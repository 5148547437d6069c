import java.util.*;

public class Solution {
    private static Object box(long n) {
        if (n >= Integer.MIN_VALUE && n <= Integer.MAX_VALUE) return Integer.valueOf((int) n);
        return Long.valueOf(n);
    }

    private static boolean truthy(Object v) {
        if (v == null) return false;
        if (v instanceof Boolean) return (Boolean) v;
        if (v instanceof Number) return ((Number) v).doubleValue() != 0;
        if (v instanceof String) return !((String) v).isEmpty();
        return true;
    }

    public static List<Object> binary_search_operations(List<List<Object>> operations, long low, long high) {
        long mid = low;
        List<Object> out = new ArrayList<>();
        for (List<Object> op : operations) {
            String name = (String) op.get(0);
            switch (name) {
                case "get_next":
                    out.add(box(mid));
                    break;
                case "respond":
                    if (truthy(op.get(1))) high = mid;
                    else low = mid + 1;
                    // floor of the mean, without overflow
                    mid = (low & high) + ((low ^ high) >> 1);
                    out.add(null);
                    break;
                case "found":
                    out.add(low >= high);
                    break;
                case "result":
                    if (low < high) throw new IllegalStateException("not found yet");
                    out.add(box(high));
                    break;
                default:
                    throw new IllegalArgumentException("unknown operation " + name);
            }
        }
        return out;
    }
}
