package main

func get_value(dict map[string]any, keys []string, default_ any, get_key bool) any {
	for _, key := range keys {
		if value, ok := dict[key]; ok && value != nil {
			if get_key {
				return []any{key, value}
			}
			return value
		}
	}
	if get_key {
		return []any{nil, default_}
	}
	return default_
}
