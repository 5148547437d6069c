package solution

func fluent_resource_loader_init(roots any) map[string]any {
	own := roots
	if s, ok := roots.(string); ok {
		own = []any{s}
	}
	return map[string]any{"roots": own}
}
