import java.util.LinkedHashMap;
import java.util.Map;

public class Solution {
    public static Map<String, String> analyze_named_regex_pattern(String path) {
        int[] c = path.codePoints().toArray();
        Map<String, String> result = new LinkedHashMap<>();
        int stack = 0;
        boolean nameCapture = false;
        boolean regexCapture = false;
        StringBuilder name = new StringBuilder();
        StringBuilder regex = new StringBuilder();
        int i = 0;
        while (i < c.length) {
            boolean skip = false;
            int step = 1;
            if (c[i] == '\\') {
                step = 2;
            } else if (c[i] == '(' && i + 3 < c.length && c[i + 1] == '?' && c[i + 2] == 'P' && c[i + 3] == '<') {
                skip = true;
                nameCapture = true;
                step = 4;
            } else if (c[i] == '(' && regexCapture) {
                stack++;
            } else if (c[i] == '>' && nameCapture) {
                if (name.length() == 0) {
                    throw new IllegalArgumentException("empty group name");
                }
                nameCapture = false;
                regexCapture = true;
                skip = true;
            } else if (c[i] == ')' && regexCapture) {
                if (stack == 0) {
                    regexCapture = false;
                    result.put(name.toString(), regex.toString());
                    name.setLength(0);
                    regex.setLength(0);
                } else {
                    stack--;
                }
            }
            if (!skip && (nameCapture || regexCapture)) {
                StringBuilder target = nameCapture ? name : regex;
                for (int k = i; k < i + step && k < c.length; k++) {
                    target.appendCodePoint(c[k]);
                }
            }
            i += step;
        }
        return result;
    }
}
