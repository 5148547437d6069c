package solution

func names_to_funcs(namelist [][]any, fdict map[string]any) [][]any {
	found := [][]any{}
	for _, item := range namelist {
		if len(item) > 0 {
			if name, ok := item[0].(string); ok && name != "" {
				item = []any{fdict[name], item[1]}
			}
		}
		found = append(found, item)
	}
	return found
}
