package main

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"
	"strings"
	"unicode"
)

func boldReal(v float64) string {
	if math.IsNaN(v) {
		return "nan"
	}
	if math.IsInf(v, 1) {
		return "inf"
	}
	if math.IsInf(v, -1) {
		return "-inf"
	}
	sci := strconv.FormatFloat(v, 'e', -1, 64)
	exp, _ := strconv.Atoi(sci[strings.IndexByte(sci, 'e')+1:])
	if exp < -4 || exp >= 16 {
		return sci
	}
	plain := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(plain, ".") {
		plain += ".0"
	}
	return plain
}

func boldQuoted(s string) string {
	mark := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, "\"") {
		mark = '"'
	}
	var out strings.Builder
	out.WriteRune(mark)
	for _, c := range s {
		switch {
		case c == '\\' || c == mark:
			out.WriteByte('\\')
			out.WriteRune(c)
		case c == '\n':
			out.WriteString("\\n")
		case c == '\r':
			out.WriteString("\\r")
		case c == '\t':
			out.WriteString("\\t")
		case !unicode.IsPrint(c):
			if c < 0x100 {
				fmt.Fprintf(&out, "\\x%02x", c)
			} else if c < 0x10000 {
				fmt.Fprintf(&out, "\\u%04x", c)
			} else {
				fmt.Fprintf(&out, "\\U%08x", c)
			}
		default:
			out.WriteRune(c)
		}
	}
	out.WriteRune(mark)
	return out.String()
}

func boldForm(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case *big.Int:
		return v.String()
	case float64:
		return boldReal(v)
	case string:
		return boldQuoted(v)
	case []any:
		parts := []string{}
		for _, x := range v {
			parts = append(parts, boldForm(x))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		keys := []string{}
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		parts := []string{}
		for _, k := range keys {
			parts = append(parts, boldQuoted(k)+": "+boldForm(v[k]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case map[any]any:
		parts := []string{}
		for k, x := range v {
			parts = append(parts, boldForm(k)+": "+boldForm(x))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(value)
}

func bold(text any) string {
	var body string
	if s, ok := text.(string); ok {
		body = strings.ReplaceAll(strings.ReplaceAll(s, "\\", "\\\\"), "-", "\\-")
	} else {
		body = boldForm(text)
	}
	return "\\fB" + body + "\\fR"
}
