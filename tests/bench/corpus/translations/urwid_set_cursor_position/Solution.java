import java.math.BigInteger;

public class Solution {
    private static String next(long n) {
        return BigInteger.valueOf(n).add(BigInteger.ONE).toString();
    }

    public static String set_cursor_position(long x, long y) {
        return (char) 27 + "[" + next(y) + ";" + next(x) + "H";
    }
}
