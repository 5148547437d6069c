package solution

import "strings"

func mute_string(text string) string {
	all := []rune(text)
	start, end := 0, len(all)-1
	for all[start] != all[end] {
		start++
	}
	start++
	if strings.HasSuffix(text, `"""`) || strings.HasSuffix(text, "'''") {
		start += 2
		end -= 2
	}
	middle := ""
	if end > start {
		middle = strings.Repeat("x", end-start)
	}
	return string(all[:min(start, len(all))]) + middle + string(all[max(end, 0):])
}
