import java.util.*;

public class Solution {
    public static List<String> base_hebrew_char_hebrew_names(String hebrew_name, List<String> hebrew_name_alts) {
        List<String> out = new ArrayList<>();
        out.add(hebrew_name);
        if (hebrew_name_alts != null) out.addAll(hebrew_name_alts);
        return out;
    }
}
