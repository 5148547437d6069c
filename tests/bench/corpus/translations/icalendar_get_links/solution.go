package solution

func get_links(self map[string]any) []any {
	link, ok := self["LINK"]
	if !ok {
		return []any{}
	}
	if list, ok := link.([]any); ok {
		return list
	}
	return []any{link}
}
