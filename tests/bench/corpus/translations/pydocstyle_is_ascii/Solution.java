import java.util.List;

class Solution {
    static boolean is_ascii(List<String> string) {
        for (String s : string) {
            for (int i = 0; i < s.length(); i++) if (s.charAt(i) >= 128) return false;
        }
        return true;
    }
}
