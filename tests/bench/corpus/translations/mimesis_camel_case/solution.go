package solution

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func camel_case(value string) string {
	var out strings.Builder
	for i, word := range strings.Fields(value) {
		if i > 0 {
			r, size := utf8.DecodeRuneInString(word)
			out.WriteRune(unicode.ToUpper(r))
			word = word[size:]
		}
		out.WriteString(strings.ToLower(word))
	}
	return out.String()
}
