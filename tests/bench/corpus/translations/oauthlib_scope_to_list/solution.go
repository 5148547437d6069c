package solution

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"unicode"
)

func scope_to_list(scope any) []string {
	switch x := scope.(type) {
	case nil:
		return nil
	case string:
		return strings.Split(strings.TrimFunc(x, isSpace), " ")
	}
	rv := reflect.ValueOf(scope)
	if rv.Kind() != reflect.Slice {
		panic("invalid scope")
	}
	out := make([]string, rv.Len())
	for i := range out {
		out[i] = str(rv.Index(i).Interface())
	}
	return out
}

func floatRepr(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	if e, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:]); e < -4 || e >= 16 {
		return s
	}
	s = strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func reprText(s string) string {
	q := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, "\"") {
		q = '"'
	}
	var b strings.Builder
	b.WriteRune(q)
	for _, r := range s {
		switch {
		case r == q || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString("\\n")
		case r == '\r':
			b.WriteString("\\r")
		case r == '\t':
			b.WriteString("\\t")
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, "\\x%02x", r)
		case r < 0x10000:
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			fmt.Fprintf(&b, "\\U%08x", r)
		}
	}
	b.WriteRune(q)
	return b.String()
}

func repr(v any) string {
	switch x := v.(type) {
	case nil:
		return "None"
	case *big.Int:
		if x == nil {
			return "None"
		}
		return x.String()
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Bool:
		if rv.Bool() {
			return "True"
		}
		return "False"
	case reflect.String:
		return reprText(rv.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(rv.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(rv.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		if f := rv.Float(); f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
			return strconv.FormatFloat(f, 'f', 0, 64)
		}
		return floatRepr(rv.Float())
	case reflect.Slice, reflect.Array:
		parts := make([]string, rv.Len())
		for i := range parts {
			parts[i] = repr(rv.Index(i).Interface())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.Map:
		keys := rv.MapKeys()
		sort.Slice(keys, func(i, j int) bool { return keyLess(keys[i].Interface(), keys[j].Interface()) })
		parts := make([]string, len(keys))
		for i, k := range keys {
			parts[i] = repr(k.Interface()) + ": " + repr(rv.MapIndex(k).Interface())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case reflect.Pointer:
		if rv.IsNil() {
			return "None"
		}
		return repr(rv.Elem().Interface())
	}
	return fmt.Sprint(v)
}

func keyLess(a, b any) bool {
	x, okX := a.(string)
	y, okY := b.(string)
	if okX && okY {
		return x < y
	}
	if okX != okY {
		return okY
	}
	p, okP := new(big.Float).SetString(repr(a))
	q, okQ := new(big.Float).SetString(repr(b))
	return okP && okQ && p.Cmp(q) < 0
}

func str(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return repr(v)
}

func isSpace(r rune) bool {
	return (r >= 9 && r <= 13) || (r >= 0x1c && r <= 0x20) || r == 0x85 || r == 0xa0 || r == 0x1680 ||
		(r >= 0x2000 && r <= 0x200a) || r == 0x2028 || r == 0x2029 || r == 0x202f || r == 0x205f || r == 0x3000
}
