package solution

import (
	"strings"
)

func format_version(parts []string) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 && (i < 3 || strings.HasPrefix(p, "dev") || strings.HasPrefix(p, "post")) {
			b.WriteByte('.')
		}
		b.WriteString(p)
	}
	return b.String()
}
