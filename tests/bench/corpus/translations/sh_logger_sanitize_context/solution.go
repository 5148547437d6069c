package solution

import "strings"

func sanitize_context(context any) string {
	text, _ := context.(string)
	return strings.ReplaceAll(text, "%", "%%")
}
