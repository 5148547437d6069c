package solution

import (
	"strings"
	"unicode"
)

func make_string(char_codes []int64) string {
	var b strings.Builder
	for _, c := range char_codes {
		if c < 0 || c > unicode.MaxRune {
			panic("character code out of range")
		}
		b.WriteRune(rune(c))
	}
	return b.String()
}
