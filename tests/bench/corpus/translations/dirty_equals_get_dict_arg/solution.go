package solution

import "fmt"

func get_dict_arg(name string, expected_args []map[string]any, expected_kwargs map[string]any) map[string]any {
	if len(expected_kwargs) > 0 {
		if len(expected_args) > 0 {
			panic(name + " requires either a single argument or kwargs, not both")
		}
		return expected_kwargs
	}
	if len(expected_args) == 0 {
		return map[string]any{}
	}
	if len(expected_args) > 1 {
		panic(fmt.Sprintf("%s expected at most 1 argument, got %d", name, len(expected_args)))
	}
	if expected_args[0] == nil {
		panic("expected_values must be a dict, got nil")
	}
	return expected_args[0]
}
