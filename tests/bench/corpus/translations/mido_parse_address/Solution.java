import java.util.List;

class Solution {
    static List<Object> parse_address(String address) {
        String[] words = address.split(":", -1);
        if (words.length != 2) throw new IllegalArgumentException("address must be host:port");
        long port = Long.parseLong(words[1].replaceAll("(?U)^\\s+|\\s+$", ""));
        if (port <= 0 || port >= 65536) throw new IllegalArgumentException("port out of range");
        return List.of(words[0], port);
    }
}
