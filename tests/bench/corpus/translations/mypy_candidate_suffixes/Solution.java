import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

class Solution {
    static List<String> candidate_suffixes(String fullname) {
        List<String> parts = Arrays.asList(fullname.split("\\.", -1));
        List<String> found = new ArrayList<>(List.of(""));
        for (int i = parts.size() - 1; i >= 0; i--) found.add(String.join(".", parts.subList(i, parts.size())) + ".");
        return found;
    }
}
