import java.util.ArrayList;
import java.util.List;

class Solution {
    static String formal_usage(String printable_usage) {
        List<String> parts = new ArrayList<>();
        for (String part : printable_usage.split("(?U)\\s+")) if (!part.isEmpty()) parts.add(part);
        List<String> shown = new ArrayList<>();
        for (int i = 2; i < parts.size(); i++) shown.add(parts.get(i).equals(parts.get(1)) ? ") | (" : parts.get(i));
        return "( " + String.join(" ", shown) + " )";
    }
}
