class Solution {
    static long dpi(double units_specifier, double px_per_unit) {
        return units_specifier == 1 && px_per_unit != 0 ? (long) Math.rint(px_per_unit * 0.0254) : 72;
    }
}
