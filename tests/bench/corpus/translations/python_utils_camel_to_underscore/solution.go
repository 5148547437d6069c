package solution

import (
	"strings"
	"unicode"
)

func camelIsUpper(r rune) bool {
	return unicode.Is(unicode.Lu, r) || unicode.Is(unicode.Other_Uppercase, r)
}

func camelIsLower(r rune) bool {
	return unicode.Is(unicode.Ll, r) || unicode.Is(unicode.Other_Lowercase, r)
}

func camelIsCased(r rune) bool {
	return camelIsUpper(r) || camelIsLower(r) || unicode.Is(unicode.Lt, r)
}

func camelIsCaseIgnorable(r rune) bool {
	switch r {
	case 0x27, 0x2E, 0x3A, 0xB7, 0x387, 0x55F, 0x5F4, 0x2018, 0x2019, 0x2024, 0x2027,
		0xFE13, 0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A:
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

func camelIsFinalSigma(s []rune, at int) bool {
	j := at - 1
	for j >= 0 && camelIsCaseIgnorable(s[j]) {
		j--
	}
	if j < 0 || !camelIsCased(s[j]) {
		return false
	}
	j = at + 1
	for j < len(s) && camelIsCaseIgnorable(s[j]) {
		j++
	}
	return j >= len(s) || !camelIsCased(s[j])
}

func camel_to_underscore(name string) string {
	chars := []rune(name)
	out := make([]rune, 0, len(chars)*2)
	for i, c := range chars {
		if i > 0 {
			pc := chars[i-1]
			if camelIsUpper(c) {
				if !camelIsUpper(pc) && pc != '_' {
					out = append(out, '_')
				}
			} else if i > 1 && camelIsLower(c) && camelIsUpper(pc) && camelIsUpper(chars[i-2]) {
				plural := c == 's' && !(i+1 < len(chars) && camelIsLower(chars[i+1]))
				if !plural {
					out[len(out)-1] = '_'
					out = append(out, pc)
				}
			}
		}
		out = append(out, c)
	}
	var sb strings.Builder
	for i, c := range out {
		switch c {
		case 0x130:
			sb.WriteString("i\u0307")
		case 0x3A3:
			if camelIsFinalSigma(out, i) {
				sb.WriteRune(0x3C2)
			} else {
				sb.WriteRune(0x3C3)
			}
		default:
			sb.WriteRune(unicode.ToLower(c))
		}
	}
	return sb.String()
}
