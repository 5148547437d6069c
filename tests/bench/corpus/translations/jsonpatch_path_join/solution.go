package solution

func path_join(path []any, key *string) []any {
	out := append([]any{}, path...)
	if key != nil {
		out = append(out, *key)
	}
	return out
}
