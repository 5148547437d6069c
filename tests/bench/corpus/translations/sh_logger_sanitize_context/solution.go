package solution

import (
	"strings"
)

func sanitize_context(context *string) string {
	if context == nil {
		return ""
	}
	return strings.ReplaceAll(*context, "%", "%%")
}
