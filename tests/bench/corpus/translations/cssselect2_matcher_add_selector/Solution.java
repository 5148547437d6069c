import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public class Solution {
    private static boolean truthy(Object x) {
        if (x == null) return false;
        if (x instanceof Boolean) return (Boolean) x;
        if (x instanceof BigInteger) return ((BigInteger) x).signum() != 0;
        if (x instanceof Number) return ((Number) x).doubleValue() != 0.0;
        if (x instanceof String) return !((String) x).isEmpty();
        if (x instanceof Collection) return !((Collection<?>) x).isEmpty();
        if (x instanceof Map) return !((Map<?, ?>) x).isEmpty();
        return true;
    }

    private static Map<Object, List<Object>> copy(Map<String, List<List<Object>>> m) {
        Map<Object, List<Object>> out = new LinkedHashMap<>();
        if (m != null) {
            for (Map.Entry<String, List<List<Object>>> e : m.entrySet()) {
                List<Object> l = null;
                if (e.getValue() != null) {
                    l = new ArrayList<>();
                    l.addAll(e.getValue());
                }
                out.put(e.getKey(), l);
            }
        }
        return out;
    }

    private static List<Object> copyList(List<List<Object>> l) {
        List<Object> out = new ArrayList<>();
        if (l != null) out.addAll(l);
        return out;
    }

    private static void add(Map<Object, List<Object>> m, Object key, List<Object> entry) {
        List<Object> l = m.get(key);
        if (l == null) {
            l = new ArrayList<>();
            m.put(key, l);
        }
        l.add(entry);
    }

    public static Map<String, Object> matcher_add_selector(Map<String, List<List<Object>>> id_selectors, Map<String, List<List<Object>>> class_selectors, Map<String, List<List<Object>>> lower_local_name_selectors, Map<String, List<List<Object>>> namespace_selectors, List<List<Object>> lang_attr_selectors, List<List<Object>> other_selectors, double order, Map<String, Object> selector, Object payload) {
        Map<Object, List<Object>> ids = copy(id_selectors);
        Map<Object, List<Object>> classes = copy(class_selectors);
        Map<Object, List<Object>> names = copy(lower_local_name_selectors);
        Map<Object, List<Object>> namespaces = copy(namespace_selectors);
        List<Object> langs = copyList(lang_attr_selectors);
        List<Object> others = copyList(other_selectors);
        double newOrder = order + 1;

        if (!truthy(selector.get("never_matches"))) {
            List<Object> entry = new ArrayList<>(Arrays.asList(
                    selector.get("test"), selector.get("specificity"), (Object) Double.valueOf(newOrder),
                    selector.get("pseudo_element"), payload));
            if (selector.get("id") != null) {
                add(ids, selector.get("id"), entry);
            } else if (selector.get("class_name") != null) {
                add(classes, selector.get("class_name"), entry);
            } else if (selector.get("local_name") != null) {
                add(names, selector.get("lower_local_name"), entry);
            } else if (selector.get("namespace") != null) {
                add(namespaces, selector.get("namespace"), entry);
            } else if (truthy(selector.get("requires_lang_attr"))) {
                langs.add(entry);
            } else {
                others.add(entry);
            }
        }

        Map<String, Object> result = new LinkedHashMap<>();
        result.put("id_selectors", ids);
        result.put("class_selectors", classes);
        result.put("lower_local_name_selectors", names);
        result.put("namespace_selectors", namespaces);
        result.put("lang_attr_selectors", langs);
        result.put("other_selectors", others);
        result.put("order", newOrder);
        return result;
    }
}
