class Solution {
    static String reverse(String value) {
        int[] points = value.codePoints().toArray();
        StringBuilder out = new StringBuilder();
        for (int i = points.length - 1; i >= 0; i--) out.appendCodePoint(points[i]);
        return out.toString();
    }
}
