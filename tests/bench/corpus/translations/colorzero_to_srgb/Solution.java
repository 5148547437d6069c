import java.math.*;
import java.util.*;

public class Solution {
    public static double to_srgb(double c) {
        if (c <= 0.0031308) return 12.92 * c;
        return 1.055 * Math.pow(c, 1 / 2.4) - 0.055;
    }
}
