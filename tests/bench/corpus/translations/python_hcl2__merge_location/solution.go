package main

func merge_location(converted any, location map[string]any) map[string]any {
	out := make(map[string]any)
	if m, ok := converted.(map[string]any); ok {
		for k, v := range location {
			out[k] = v
		}
		for k, v := range m {
			out[k] = v
		}
		return out
	}
	if m, ok := converted.(map[any]any); ok && len(m) == 0 {
		for k, v := range location {
			out[k] = v
		}
		return out
	}
	out["__value__"] = converted
	for k, v := range location {
		out[k] = v
	}
	return out
}
