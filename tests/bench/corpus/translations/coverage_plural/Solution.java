class Solution {
    static String plural(long n, String thing, String things) {
        if (n == 1) return n + " " + thing;
        return n + " " + (things == null || things.isEmpty() ? thing + "s" : things);
    }
}
