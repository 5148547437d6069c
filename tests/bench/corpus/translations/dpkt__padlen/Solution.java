import java.math.*;
import java.util.*;

public class Solution {
    public static long padlen(String s) {
        return (4 - s.codePointCount(0, s.length()) % 4) % 4;
    }
}
