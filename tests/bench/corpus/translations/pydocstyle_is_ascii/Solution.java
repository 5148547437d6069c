class Solution {
    static boolean is_ascii(String string) {
        return string.codePoints().allMatch(point -> point < 128);
    }
}
