import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

class Solution {
    static List<Long> ratio_reduce(long total, List<Long> ratios, List<Long> maximums, List<Long> values) {
        int n = Math.min(ratios.size(), maximums.size()), count = Math.min(n, values.size());
        List<BigInteger> r = new ArrayList<>();
        BigInteger totalRatio = BigInteger.ZERO, remaining = BigInteger.valueOf(total);
        for (int i = 0; i < n; i++) {
            BigInteger x = maximums.get(i) != 0 ? BigInteger.valueOf(ratios.get(i)) : BigInteger.ZERO;
            r.add(x);
            totalRatio = totalRatio.add(x);
        }
        if (totalRatio.signum() == 0) return new ArrayList<>(values);
        List<Long> result = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            BigInteger value = BigInteger.valueOf(values.get(i)), maximum = BigInteger.valueOf(maximums.get(i));
            if (r.get(i).signum() != 0 && totalRatio.signum() > 0) {
                double q = Math.rint(divide(r.get(i).multiply(remaining), totalRatio));
                BigInteger part = maximum.min(new BigDecimal(q).toBigInteger());
                result.add(value.subtract(part).longValue());
                remaining = remaining.subtract(part);
                totalRatio = totalRatio.subtract(r.get(i));
            } else {
                result.add(value.longValue());
            }
        }
        return result;
    }

    // The double nearest to p / q.
    private static double divide(BigInteger p, BigInteger q) {
        if (p.bitLength() <= 53 && q.bitLength() <= 53) return p.doubleValue() / q.doubleValue();
        boolean negative = p.signum() * q.signum() < 0;
        BigInteger x = p.abs(), y = q.abs();
        int k = Math.max(0, y.bitLength() - x.bitLength() + 70);
        BigInteger[] d = x.shiftLeft(k).divideAndRemainder(y);
        BigInteger n = d[0].shiftLeft(1);
        if (d[1].signum() != 0) n = n.setBit(0);
        double r = Math.scalb(n.doubleValue(), -(k + 1));
        return negative ? -r : r;
    }
}
