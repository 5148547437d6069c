class Solution {
    public static long channel0_negotiate(long server_value, long client_value) {
        long smaller = Math.min(server_value, client_value);
        return smaller == 0 ? client_value : smaller;
    }
}
