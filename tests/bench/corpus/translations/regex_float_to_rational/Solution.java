import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

class Solution {
    static List<Long> float_to_rational(double flt) {
        List<BigInteger> parts = new ArrayList<>();
        double x = flt;
        while (true) {
            BigInteger whole = new BigDecimal(x).toBigInteger();
            double error = x - whole.doubleValue();
            parts.add(whole);
            if (Math.abs(error) < 0.0001) break;
            if (parts.size() > 990) throw new ArithmeticException("no rational found");
            x = 1 / error;
        }
        BigInteger num = parts.get(parts.size() - 1), den = BigInteger.ONE;
        for (int i = parts.size() - 2; i >= 0; i--) {
            BigInteger next = parts.get(i).multiply(num).add(den);
            den = num;
            num = next;
        }
        return List.of(num.longValue(), den.longValue());
    }
}
