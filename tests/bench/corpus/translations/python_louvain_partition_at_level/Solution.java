import java.util.*;

class Solution {
    public static Map<String, Object> partition_at_level(List<Map<String, Object>> dendrogram, long level) {
        Map<String, Object> out = new LinkedHashMap<>(dendrogram.get(0));
        if (out.isEmpty()) return out;
        for (long i = 1; i <= level; i++) {
            if (i >= dendrogram.size()) throw new IndexOutOfBoundsException("level out of range");
            Map<String, Object> m = dendrogram.get((int) i);
            for (Map.Entry<String, Object> e : out.entrySet()) {
                Object v = e.getValue();
                if (!(v instanceof String) || !m.containsKey((String) v)) throw new NoSuchElementException("missing key");
                e.setValue(m.get((String) v));
            }
        }
        return out;
    }
}
