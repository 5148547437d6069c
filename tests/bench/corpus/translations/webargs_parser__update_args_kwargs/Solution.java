import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public class Solution {
    public static List<Object> update_args_kwargs(List<Object> args, Map<String, Object> kwargs, Map<String, Object> parsed_args, boolean as_kwargs, String arg_name) {
        List<Object> newArgs = new ArrayList<>(args);
        Map<String, Object> newKwargs = new LinkedHashMap<>(kwargs);
        if (as_kwargs) {
            newKwargs.putAll(parsed_args);
        } else if (arg_name != null && !arg_name.isEmpty()) {
            newKwargs.put(arg_name, parsed_args);
        } else {
            newArgs.add(parsed_args);
        }
        List<Object> result = new ArrayList<>();
        result.add(newArgs);
        result.add(newKwargs);
        return result;
    }
}
