import java.util.Arrays;
import java.util.List;

public class Solution {
    public static List<String> split_indentation(String s) {
        int i = 0;
        while (i < s.length() && s.charAt(i) == ' ') {
            i++;
        }
        return Arrays.asList(s.substring(0, i), s.substring(i));
    }
}
