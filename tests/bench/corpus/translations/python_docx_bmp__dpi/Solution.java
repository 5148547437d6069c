class Solution {
    static long dpi(double px_per_meter) {
        return px_per_meter == 0 ? 96 : (long) Math.rint(px_per_meter * 0.0254);
    }
}
