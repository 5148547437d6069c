import java.util.List;

class Solution {
    static String make_string(List<Long> char_codes) {
        StringBuilder b = new StringBuilder();
        for (Long c : char_codes) b.appendCodePoint(Math.toIntExact(c));
        return b.toString();
    }
}
