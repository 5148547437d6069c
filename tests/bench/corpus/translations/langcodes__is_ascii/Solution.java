class Solution {
    static boolean is_ascii(String s) {
        return s.chars().allMatch(c -> c < 128);
    }
}
