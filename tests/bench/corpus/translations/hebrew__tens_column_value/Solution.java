import java.math.*;
import java.util.*;

public class Solution {
    public static long tens_column_value(long number) {
        if (number < 10) return 0;
        return number % 100 / 10 * 10;
    }
}
