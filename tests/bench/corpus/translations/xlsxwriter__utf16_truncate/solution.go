package solution

import "strings"

func utf16_truncate(text string, max_len int64) string {
	var out strings.Builder
	length := int64(0)
	for _, r := range text {
		length++
		if r > 65535 {
			length++
		}
		if length > max_len {
			break
		}
		out.WriteRune(r)
	}
	return out.String()
}
