import java.util.*;

public class Solution {
    public static Map<String, List<Object>> generator_set_terminal_parser(List<Object> parserList, long index, Object parser) {
        int n = parserList.size();
        if (index < 0) {
            if (index + n < 0) throw new IndexOutOfBoundsException("index reaches before the first entry");
            parserList.set((int) (index + n), parser);
        } else {
            while (parserList.size() <= index) parserList.add(null);
            parserList.set((int) index, parser);
        }
        Map<String, List<Object>> out = new LinkedHashMap<>();
        out.put("parserList", parserList);
        return out;
    }
}
