package solution

import "strings"

func valid(line string) any {
	if line == "" {
		return ""
	}
	return !strings.HasPrefix(line, "#")
}
