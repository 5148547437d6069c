class Solution {
    static long bit_size(long num) {
        return 64 - Long.numberOfLeadingZeros(Math.abs(num));
    }
}
