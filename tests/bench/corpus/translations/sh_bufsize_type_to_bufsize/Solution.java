class Solution {
    static double bufsize_type_to_bufsize(double bf_type) {
        if (bf_type == 0) return 1;
        return bf_type == 1 ? 1024 : bf_type;
    }
}
