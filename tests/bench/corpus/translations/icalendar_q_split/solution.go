package solution

import (
	"unicode/utf8"
)

func q_split(st string, sep string, maxsplit int64) []string {
	if maxsplit == 0 {
		return []string{st}
	}
	result := []string{}
	quoted, splits, start := false, int64(0), 0
	for i := 0; i < len(st); {
		_, n := utf8.DecodeRuneInString(st[i:])
		if st[i] == '"' {
			quoted = !quoted
		}
		if !quoted && st[i:i+n] == sep {
			result = append(result, st[start:i])
			start = i + n
			splits++
		}
		i += n
		if i == len(st) || splits == maxsplit {
			result = append(result, st[start:])
			break
		}
	}
	return result
}
