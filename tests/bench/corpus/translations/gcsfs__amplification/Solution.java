class Solution {
    public static Double amplification(Double numerator, double denominator) {
        if (numerator == null || denominator == 0.0) return null;
        return numerator / denominator;
    }
}
