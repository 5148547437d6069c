import java.math.*;
import java.util.*;

public class Solution {
    public static long count_bits(long value) {
        return Long.bitCount(value < 0 ? -value : value);
    }
}
