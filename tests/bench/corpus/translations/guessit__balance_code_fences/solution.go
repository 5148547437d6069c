package main

import "strings"

func isBlank(c rune) bool {
	return (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
		(c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000
}

func balance_code_fences(text string) string {
	out := []string{}
	open := false
	for _, line := range strings.Split(text, "\n") {
		body := strings.TrimLeftFunc(line, isBlank)
		rest := strings.TrimLeft(body, "`")
		if len(body)-len(rest) < 3 {
			out = append(out, line)
		} else if !open {
			open = true
			out = append(out, line)
		} else {
			open = false
			out = append(out, line[:len(line)-len(rest)])
			rest = strings.TrimFunc(rest, isBlank)
			if rest != "" {
				out = append(out, rest)
			}
		}
	}
	if open {
		out = append(out, "```")
	}
	return strings.Join(out, "\n")
}
