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
		out.WriteString(lower(word))
	}
	return out.String()
}

// lower knows the letter whose small one is two code points, and the sigma at the end of a word.
func lower(word string) string {
	all := []rune(word)
	var out strings.Builder
	for i, r := range all {
		switch {
		case r == 'İ':
			out.WriteString("i\u0307")
		case r == 'Σ' && i > 0 && unicode.IsLetter(all[i-1]) && (i+1 == len(all) || !unicode.IsLetter(all[i+1])):
			out.WriteRune('ς')
		default:
			out.WriteRune(unicode.ToLower(r))
		}
	}
	return out.String()
}
