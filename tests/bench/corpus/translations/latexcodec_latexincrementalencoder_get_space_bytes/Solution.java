import java.util.*;

public class Solution {
    public static List<String> latex_incremental_encoder_get_space_bytes(String state, String bytes_) {
        if (!"S".equals(state)) return Arrays.asList("", bytes_);
        if (bytes_.startsWith(" ")) return Arrays.asList("\\ ", bytes_.substring(1));
        return Arrays.asList(" ", bytes_);
    }
}
