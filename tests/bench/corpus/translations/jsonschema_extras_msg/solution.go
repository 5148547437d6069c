package main

import (
	"fmt"
	"math/big"
	"sort"
	"strings"
	"unicode"
)

func reprText(text string) string {
	quote := '\''
	if strings.Contains(text, "'") && !strings.Contains(text, "\"") {
		quote = '"'
	}
	var out strings.Builder
	out.WriteRune(quote)
	for _, c := range text {
		switch {
		case c == quote || c == '\\':
			out.WriteByte('\\')
			out.WriteRune(c)
		case c == '\n':
			out.WriteString("\\n")
		case c == '\r':
			out.WriteString("\\r")
		case c == '\t':
			out.WriteString("\\t")
		case unicode.IsPrint(c):
			out.WriteRune(c)
		case c <= 0xff:
			fmt.Fprintf(&out, "\\x%02x", c)
		case c <= 0xffff:
			fmt.Fprintf(&out, "\\u%04x", c)
		default:
			fmt.Fprintf(&out, "\\U%08x", c)
		}
	}
	out.WriteRune(quote)
	return out.String()
}

func toBig(value any) *big.Int {
	switch v := value.(type) {
	case int:
		return big.NewInt(int64(v))
	case int64:
		return big.NewInt(v)
	case *big.Int:
		return v
	}
	return nil
}

func keyLess(a, b any) bool {
	x, aText := a.(string)
	y, bText := b.(string)
	if aText && bText {
		return x < y // byte order of UTF-8 is code point order
	}
	if aText != bText {
		return bText
	}
	p, q := toBig(a), toBig(b)
	if p == nil || q == nil {
		return false
	}
	return p.Cmp(q) < 0
}

func reprMap(keys []any, get func(any) any) string {
	sort.SliceStable(keys, func(i, j int) bool { return keyLess(keys[i], keys[j]) })
	parts := make([]string, len(keys))
	for i, key := range keys {
		parts[i] = repr(key) + ": " + repr(get(key))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func reprAll(values []any) string {
	parts := make([]string, len(values))
	for i, value := range values {
		parts[i] = repr(value)
	}
	return strings.Join(parts, ", ")
}

func repr(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return reprText(v)
	case *big.Int:
		return v.String()
	case []any:
		return "[" + reprAll(v) + "]"
	case map[string]any:
		keys := make([]any, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		return reprMap(keys, func(key any) any { return v[key.(string)] })
	case map[any]any:
		keys := make([]any, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		return reprMap(keys, func(key any) any { return v[key] })
	}
	return fmt.Sprint(value)
}

func extras_msg(extras []any) []string {
	verb := "were"
	if len(extras) == 1 {
		verb = "was"
	}
	return []string{reprAll(extras), verb}
}
