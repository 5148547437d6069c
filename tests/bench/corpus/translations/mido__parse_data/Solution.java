import java.util.ArrayList;
import java.util.List;

class Solution {
    static List<Long> parse_data(String value) {
        int count = value.codePointCount(0, value.length());
        String inner = count < 2 ? "" : value.substring(value.offsetByCodePoints(0, 1), value.offsetByCodePoints(value.length(), -1));
        List<Long> found = new ArrayList<>();
        for (String part : inner.split(",", -1)) found.add(Long.parseLong(part.strip()));
        return found;
    }
}
