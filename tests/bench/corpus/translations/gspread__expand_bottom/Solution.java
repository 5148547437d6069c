import java.util.*;

class Solution {
    public static long expand_bottom(List<List<String>> values, long start, long end, long col) {
        long n = values.size();
        for (long r = start; r < end; r++) {
            if (r >= n) return n - 1;
            long ri = r < 0 ? r + n : r;
            if (ri < 0) throw new IndexOutOfBoundsException("row index out of range");
            List<String> row = values.get((int) ri);
            long len = row.size();
            if (col >= len) return r - 1;
            long ci = col < 0 ? col + len : col;
            if (ci < 0) throw new IndexOutOfBoundsException("column index out of range");
            if (row.get((int) ci).isEmpty()) return r - 1;
        }
        return end - 1;
    }
}
