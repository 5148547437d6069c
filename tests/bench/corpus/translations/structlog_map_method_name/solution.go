package solution

func map_method_name(method_name string) string {
	switch method_name {
	case "exception":
		return "error"
	case "warn":
		return "warning"
	}
	return method_name
}
