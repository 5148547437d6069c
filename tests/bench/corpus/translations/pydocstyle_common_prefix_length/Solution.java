class Solution {
    static long common_prefix_length(String a, String b) {
        int[] x = a.codePoints().toArray(), y = b.codePoints().toArray();
        int i = 0;
        while (i < x.length && i < y.length && x[i] == y[i]) i++;
        return i;
    }
}
