package solution

func invalid_messages(msg any) []any {
	if msg == nil {
		return []any{}
	}
	if l, ok := msg.([]any); ok {
		if l == nil {
			return []any{}
		}
		return l
	}
	return []any{msg}
}
