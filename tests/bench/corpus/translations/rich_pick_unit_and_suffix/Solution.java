import java.math.BigInteger;
import java.util.List;

class Solution {
    static List<Object> pick_unit_and_suffix(long size, List<String> suffixes, long base) {
        if (suffixes.isEmpty()) throw new IllegalArgumentException("no suffixes");
        BigInteger n = BigInteger.valueOf(size), b = BigInteger.valueOf(base), unit = BigInteger.ONE;
        for (int i = 0; ; i++) {
            BigInteger next = unit.multiply(b);
            if (n.compareTo(next) < 0 || i == suffixes.size() - 1) {
                Object u = unit.bitLength() <= 53 ? (Object) unit.longValue() : unit;
                return List.of(u, suffixes.get(i));
            }
            unit = next;
        }
    }
}
