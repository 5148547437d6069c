import java.util.List;
import java.util.Map;

class Solution {
    static Object resolve(Object doc, List<Object> parts) {
        Object cur = doc;
        for (Object part : parts) {
            if (cur instanceof Map) {
                Map<?, ?> m = (Map<?, ?>) cur;
                Object key = m.containsKey(part) ? part : part.toString();
                if (!m.containsKey(key)) throw new java.util.NoSuchElementException("no such key: " + part);
                cur = m.get(key);
            } else {
                int i = part instanceof Number ? ((Number) part).intValue() : Integer.parseInt(part.toString());
                if (cur instanceof List) {
                    List<?> l = (List<?>) cur;
                    cur = l.get(i < 0 ? i + l.size() : i);
                } else {
                    int[] c = ((String) cur).codePoints().toArray();
                    cur = new String(c, i < 0 ? i + c.length : i, 1);
                }
            }
        }
        return cur;
    }
}
