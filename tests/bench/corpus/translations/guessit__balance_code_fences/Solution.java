import java.util.*;

public class Solution {
    private static boolean isBlank(char c) {
        return (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680
            || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
    }

    private static String strip(String s) {
        int a = 0, b = s.length();
        while (a < b && isBlank(s.charAt(a))) a++;
        while (b > a && isBlank(s.charAt(b - 1))) b--;
        return s.substring(a, b);
    }

    public static String balance_code_fences(String text) {
        List<String> out = new ArrayList<>();
        boolean open = false;
        for (String line : text.split("\n", -1)) {
            int i = 0;
            while (i < line.length() && isBlank(line.charAt(i))) i++;
            int j = i;
            while (j < line.length() && line.charAt(j) == '`') j++;
            if (j - i < 3) {
                out.add(line);
            } else if (!open) {
                open = true;
                out.add(line);
            } else {
                open = false;
                out.add(line.substring(0, j));
                String rest = strip(line.substring(j));
                if (!rest.isEmpty()) out.add(rest);
            }
        }
        if (open) out.add("```");
        return String.join("\n", out);
    }
}
