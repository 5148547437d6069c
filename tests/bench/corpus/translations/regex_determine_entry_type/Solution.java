import java.util.List;

class Solution {
    static String determine_entry_type(List<Double> iterable) {
        double low = Double.POSITIVE_INFINITY, high = Double.NEGATIVE_INFINITY;
        for (Number x : iterable) {
            low = Math.min(low, x.doubleValue());
            high = Math.max(high, x.doubleValue());
        }
        if (iterable.isEmpty() || (low >= 0 && high <= 0xff)) return "uint8_t";
        return low >= 0 && high <= 0xffff ? "uint16_t" : "uint32_t";
    }
}
