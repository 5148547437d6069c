import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;

class Solution {
    static String to_str(long size, List<String> suffixes, long base, Long precision, String separator) {
        if (size == 1) return "1 byte";
        if (size < base) return commas(Long.toString(size)) + " bytes";
        if (suffixes.isEmpty()) throw new IllegalArgumentException("no suffixes");
        BigInteger n = BigInteger.valueOf(size), b = BigInteger.valueOf(base), unit = b;
        String suffix = "";
        for (String s : suffixes) {
            suffix = s;
            unit = unit.multiply(b);
            if (n.compareTo(unit) < 0) break;
        }
        if (unit.signum() == 0) throw new ArithmeticException("division by zero");
        double value = divide(b.multiply(n), unit);
        int digits = precision == null ? 1 : Math.toIntExact(precision);
        String text = new BigDecimal(Math.abs(value)).setScale(digits, RoundingMode.HALF_EVEN).toPlainString();
        boolean negative = value < 0 || (value == 0 && 1 / value < 0);
        return (negative ? "-" : "") + commas(text) + (separator == null ? "None" : separator) + suffix;
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

    private static String commas(String s) {
        int dot = s.indexOf('.');
        String whole = dot < 0 ? s : s.substring(0, dot);
        return whole.replaceAll("\\B(?=([0-9]{3})+$)", ",") + (dot < 0 ? "" : s.substring(dot));
    }
}
