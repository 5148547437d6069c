package solution

import "strings"

func comment_value(source string) string {
	s := strings.TrimLeft(source, " \t\f")
	if strings.HasPrefix(s, "#") || strings.HasPrefix(s, "!") {
		s = s[1:]
	}
	return strings.TrimRight(s, "\r\n")
}
