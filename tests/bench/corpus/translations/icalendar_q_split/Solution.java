import java.util.ArrayList;
import java.util.List;

class Solution {
    static List<String> q_split(String st, String sep, long maxsplit) {
        List<String> result = new ArrayList<>();
        if (maxsplit == 0) {
            result.add(st);
            return result;
        }
        boolean quoted = false;
        long splits = 0;
        int start = 0;
        for (int i = 0; i < st.length(); ) {
            int c = st.codePointAt(i), next = i + Character.charCount(c);
            if (c == '"') quoted = !quoted;
            if (!quoted && st.substring(i, next).equals(sep)) {
                result.add(st.substring(start, i));
                start = next;
                splits++;
            }
            if (next == st.length() || splits == maxsplit) {
                result.add(st.substring(start));
                break;
            }
            i = next;
        }
        return result;
    }
}
