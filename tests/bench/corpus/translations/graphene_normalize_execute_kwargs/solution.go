package main

func normalize_execute_kwargs(kwargs map[string]any) map[string]any {
	result := make(map[string]any, len(kwargs))
	for key, value := range kwargs {
		result[key] = value
	}
	aliases := [][2]string{
		{"root", "root_value"},
		{"context", "context_value"},
		{"variables", "variable_values"},
		{"operation", "operation_name"},
	}
	for _, pair := range aliases {
		value, present := result[pair[0]]
		if !present {
			continue
		}
		if _, taken := result[pair[1]]; taken {
			continue
		}
		result[pair[1]] = value
		delete(result, pair[0])
	}
	return result
}
