package solution

import "strings"

func formal_usage(printable_usage string) string {
	parts := strings.Fields(printable_usage)
	shown := []string{}
	for i, part := range parts {
		if i < 2 {
			continue
		}
		if part == parts[1] {
			part = ") | ("
		}
		shown = append(shown, part)
	}
	return "( " + strings.Join(shown, " ") + " )"
}
