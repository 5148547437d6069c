package solution

func _items(structure []map[string]any) [][]any {
	found := [][]any{}
	for i, item := range structure {
		found = append(found, []any{int64(i), item})
	}
	return found
}
