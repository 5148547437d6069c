import java.util.ArrayList;
import java.util.List;

class Solution {
    static List<Long> numbits_to_nums(List<Long> numbits) {
        List<Long> nums = new ArrayList<>();
        for (int i = 0; i < numbits.size(); i++) {
            long b = numbits.get(i);
            for (int bit = 0; bit < 8; bit++) if ((b & (1L << bit)) != 0) nums.add(i * 8L + bit);
        }
        return nums;
    }
}
