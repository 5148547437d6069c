package main

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func gedcom_file_repr(root_elements []any) string {
	parts := make([]string, len(root_elements))
	for i, e := range root_elements {
		parts[i] = gedcomRepr(e)
	}
	return "GedcomFile(\n" + strings.Join(parts, ",\n") + ")"
}

func gedcomRepr(v any) string {
	switch x := v.(type) {
	case nil:
		return "None"
	case bool:
		if x {
			return "True"
		}
		return "False"
	case *big.Int:
		return x.String()
	case float64:
		return gedcomFloat(x)
	case string:
		return gedcomText(x)
	case []any:
		parts := make([]string, len(x))
		for i, e := range x {
			parts[i] = gedcomRepr(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		m := make(map[any]any, len(x))
		for k, e := range x {
			m[k] = e
		}
		return gedcomMap(m)
	case map[any]any:
		return gedcomMap(x)
	}
	return fmt.Sprint(v)
}

func gedcomKeyRank(k any) (int, *big.Int, string) {
	switch x := k.(type) {
	case int:
		return 0, big.NewInt(int64(x)), ""
	case int64:
		return 0, big.NewInt(x), ""
	case *big.Int:
		return 0, x, ""
	case string:
		return 1, nil, x
	}
	return 2, nil, fmt.Sprint(k)
}

func gedcomMap(m map[any]any) string {
	keys := make([]any, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		ra, na, sa := gedcomKeyRank(keys[i])
		rb, nb, sb := gedcomKeyRank(keys[j])
		if ra != rb {
			return ra < rb
		}
		if ra == 0 {
			return na.Cmp(nb) < 0
		}
		return sa < sb
	})
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = gedcomRepr(k) + ": " + gedcomRepr(m[k])
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func gedcomText(s string) string {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, "\"") {
		quote = '"'
	}
	var out strings.Builder
	out.WriteRune(quote)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			if i+2 < len(s) && s[i] == 0xed && s[i+1] >= 0xa0 && s[i+1] <= 0xbf && s[i+2]&0xc0 == 0x80 {
				// a lone surrogate
				fmt.Fprintf(&out, "\\u%04x", 0xd000|int(s[i+1]&0x3f)<<6|int(s[i+2]&0x3f))
				i += 3
			} else {
				fmt.Fprintf(&out, "\\x%02x", s[i])
				i++
			}
			continue
		}
		i += size
		switch {
		case r == '\\' || r == quote:
			out.WriteRune('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString("\\n")
		case r == '\r':
			out.WriteString("\\r")
		case r == '\t':
			out.WriteString("\\t")
		case unicode.IsPrint(r):
			out.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&out, "\\x%02x", r)
		case r <= 0xffff:
			fmt.Fprintf(&out, "\\u%04x", r)
		default:
			fmt.Fprintf(&out, "\\U%08x", r)
		}
	}
	out.WriteRune(quote)
	return out.String()
}

func gedcomFloat(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	e := strconv.FormatFloat(x, 'e', -1, 64)
	exp, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	if exp < -4 || exp >= 16 {
		return e
	}
	f := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(f, ".") {
		f += ".0"
	}
	return f
}
