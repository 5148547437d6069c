package solution

import (
	"strings"
)

func import_string(names [][]*string) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = *n[0]
		if n[1] != nil {
			parts[i] += " as " + *n[1]
		}
	}
	return strings.Join(parts, ", ")
}
