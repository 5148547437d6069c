import java.math.BigDecimal;
import java.math.RoundingMode;

class Solution {
    static String format_bytes(double bytes) {
        double current = bytes;
        String unit = "";
        for (String each : new String[] {"bytes", "KB", "MB", "GB", "TB"}) {
            unit = each;
            if (current < 1024) break;
            current /= 1024;
        }
        if (unit.equals("bytes")) return new BigDecimal(current).toBigInteger() + " bytes";
        return new BigDecimal(current).setScale(1, RoundingMode.HALF_EVEN).toPlainString() + " " + unit;
    }
}
