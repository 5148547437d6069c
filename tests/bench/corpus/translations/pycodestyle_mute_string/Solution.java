class Solution {
    static String mute_string(String text) {
        int[] all = text.codePoints().toArray();
        int start = 0, end = all.length - 1;
        while (all[start] != all[end]) start++;
        start++;
        if (text.endsWith("\"\"\"") || text.endsWith("'''")) {
            start += 2;
            end -= 2;
        }
        int from = end < 0 ? Math.max(0, all.length + end) : end;
        return cut(all, 0, start) + "x".repeat(Math.max(0, end - start)) + cut(all, from, all.length);
    }

    static String cut(int[] all, int from, int to) {
        to = Math.min(to, all.length);
        return from >= to ? "" : new String(all, from, to - from);
    }
}
