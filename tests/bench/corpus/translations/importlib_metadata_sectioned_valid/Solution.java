class Solution {
    static Object valid(String line) {
        if (line.isEmpty()) return "";
        return !line.startsWith("#");
    }
}
