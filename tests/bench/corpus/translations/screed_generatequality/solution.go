package main

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func gqWrap(t string) string {
	var b strings.Builder
	i := 0
	for _, r := range t {
		if i > 0 && i%80 == 0 {
			b.WriteByte('\n')
		}
		b.WriteRune(r)
		i++
	}
	return b.String()
}

func gqText(t string) string {
	q := '\''
	if strings.Contains(t, "'") && !strings.Contains(t, "\"") {
		q = '"'
	}
	var b strings.Builder
	b.WriteRune(q)
	for _, r := range t {
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
		case !unicode.IsPrint(r):
			if r <= 0xff {
				b.WriteString(fmt.Sprintf("\\x%02x", r))
			} else if r <= 0xffff {
				b.WriteString(fmt.Sprintf("\\u%04x", r))
			} else {
				b.WriteString(fmt.Sprintf("\\U%08x", r))
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteRune(q)
	return b.String()
}

func gqFloat(f float64) string {
	if math.IsNaN(f) {
		return "nan"
	}
	if math.IsInf(f, 1) {
		return "inf"
	}
	if math.IsInf(f, -1) {
		return "-inf"
	}
	e := strconv.FormatFloat(f, 'e', -1, 64)
	exp, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	if exp < -4 || exp >= 16 {
		return e
	}
	p := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(p, ".") {
		p += ".0"
	}
	return p
}

func gqRepr(v any) string {
	switch x := v.(type) {
	case nil:
		return "None"
	case bool:
		if x {
			return "True"
		}
		return "False"
	case int:
		return strconv.Itoa(x)
	case int64:
		return strconv.FormatInt(x, 10)
	case *big.Int:
		return x.String()
	case float64:
		return gqFloat(x)
	case string:
		return gqText(x)
	case []any:
		parts := make([]string, 0, len(x))
		for _, w := range x {
			parts = append(parts, gqRepr(w))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := make([]string, 0, len(x))
		for k, w := range x {
			parts = append(parts, gqText(k)+": "+gqRepr(w))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case map[any]any:
		parts := make([]string, 0, len(x))
		for k, w := range x {
			parts = append(parts, gqRepr(k)+": "+gqRepr(w))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}

func GenerateQuality(value map[string]any) string {
	if q, ok := value["quality"]; ok {
		switch x := q.(type) {
		case string:
			return gqWrap(x)
		case []any:
			if len(x) == 0 {
				return ""
			}
		case map[string]any:
			if len(x) == 0 {
				return ""
			}
		case map[any]any:
			if len(x) == 0 {
				return ""
			}
		}
		panic("quality is not a text")
	}
	s, ok := value["sequence"]
	if !ok {
		panic("missing key: sequence")
	}
	text, isText := s.(string)
	if !isText {
		text = gqRepr(s)
	}
	return gqWrap(strings.Repeat("\"", utf8.RuneCountInString(text)))
}
