import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;

public class Solution {
    public static Map<String, Double> binary_search_respond(double low, long mid, long high, boolean value) {
        double newLow = low;
        double newHigh = (double) high;
        double newMid;
        if (value) {
            newHigh = (double) mid;
            if (low == Math.rint(low) && !Double.isInfinite(low)) {
                BigInteger sum = new BigDecimal(low).toBigInteger().add(BigInteger.valueOf(mid));
                newMid = sum.shiftRight(1).doubleValue();
            } else {
                newMid = Math.floor((low + (double) mid) / 2);
            }
        } else {
            BigInteger l = BigInteger.valueOf(mid).add(BigInteger.ONE);
            newLow = l.doubleValue();
            newMid = l.add(BigInteger.valueOf(high)).shiftRight(1).doubleValue();
        }
        Map<String, Double> result = new LinkedHashMap<>();
        result.put("low", newLow);
        result.put("mid", newMid);
        result.put("high", newHigh);
        return result;
    }
}
