package solution

import "strings"

func has_quoted_quotes(token map[string]any) bool {
	switch plain := token["plain"].(type) {
	case nil:
	case int:
		if plain != 0 {
			return false
		}
	case string:
		if plain != "" {
			return false
		}
	case []any:
		if len(plain) > 0 {
			return false
		}
	case map[string]any:
		if len(plain) > 0 {
			return false
		}
	default:
		return false
	}
	value, _ := token["value"].(string)
	switch token["style"] {
	case "'":
		return strings.Contains(value, "\"")
	case "\"":
		return strings.Contains(value, "'")
	}
	return false
}
