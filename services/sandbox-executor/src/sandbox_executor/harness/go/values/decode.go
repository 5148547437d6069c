package values

import (
	"encoding/base64"
	"math"
	"math/big"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

type reader struct {
	text string
	at   int
}

// Decode reads one text into a tree.
func Decode(text string) (tree any, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			malformed, ok := problem.(*Malformed)
			if !ok {
				panic(problem)
			}
			tree, err = nil, malformed
		}
	}()
	r := &reader{text: text}
	tree = r.value()
	r.space()
	if r.at != len(text) {
		r.fail("text after the value")
	}
	return tree, nil
}

func (r *reader) fail(reason string) { panic(&Malformed{reason, r.at}) }

func (r *reader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\n', '\r', '\t':
			r.at++
		default:
			return
		}
	}
}

func (r *reader) peek() byte {
	r.space()
	if r.at >= len(r.text) {
		r.fail("the text ends too early")
	}
	return r.text[r.at]
}

func (r *reader) take(char byte) {
	if r.peek() != char {
		r.fail("expected " + string(char))
	}
	r.at++
}

func (r *reader) value() any {
	switch r.peek() {
	case '{':
		return r.object()
	case '[':
		return Sequence{Items: r.array()}
	case '"':
		return r.str()
	case 't':
		return r.word("true", true)
	case 'f':
		return r.word("false", false)
	case 'n':
		return r.word("null", nil)
	}
	return r.number()
}

func (r *reader) word(word string, value any) any {
	if len(r.text)-r.at < len(word) || r.text[r.at:r.at+len(word)] != word {
		r.fail("no value")
	}
	r.at += len(word)
	return value
}

func (r *reader) number() any {
	start, integer := r.at, true
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c >= '0' && c <= '9' || c == '-':
		case c == '.' || c == 'e' || c == 'E' || c == '+':
			integer = false
		default:
			goto done
		}
		r.at++
	}
done:
	word := r.text[start:r.at]
	if integer {
		if value, err := strconv.ParseInt(word, 10, 64); err == nil {
			return value
		}
		r.fail("no value")
	}
	value, err := strconv.ParseFloat(word, 64)
	if err != nil {
		r.fail("no number")
	}
	return value
}

func (r *reader) str() string {
	r.take('"')
	start := r.at
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case '"':
			r.at++
			return r.text[start : r.at-1]
		case '\\':
			return r.escaped(start)
		}
		r.at++
	}
	r.fail("a string without end")
	return ""
}

func (r *reader) escaped(start int) string {
	out := append([]byte(nil), r.text[start:r.at]...)
	for r.at < len(r.text) {
		c := r.text[r.at]
		r.at++
		if c == '"' {
			return string(out)
		}
		if c != '\\' {
			out = append(out, c)
			continue
		}
		if r.at >= len(r.text) {
			break
		}
		c = r.text[r.at]
		r.at++
		switch c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			out = r.unit(out)
		default:
			r.fail("unknown escape")
		}
	}
	r.fail("a string without end")
	return ""
}

func (r *reader) unit(out []byte) []byte {
	first := r.hex()
	if utf16.IsSurrogate(first) && r.at+1 < len(r.text) && r.text[r.at] == '\\' && r.text[r.at+1] == 'u' {
		r.at += 2
		if joined := utf16.DecodeRune(first, r.hex()); joined != utf8.RuneError {
			return utf8.AppendRune(out, joined)
		}
		r.fail("a lone surrogate in plain text")
	}
	if utf16.IsSurrogate(first) {
		r.fail("a lone surrogate in plain text")
	}
	return utf8.AppendRune(out, first)
}

func (r *reader) hex() rune {
	if r.at+4 > len(r.text) {
		r.fail("a short escape")
	}
	unit, err := strconv.ParseUint(r.text[r.at:r.at+4], 16, 16)
	if err != nil {
		r.fail("a bad escape")
	}
	r.at += 4
	return rune(unit)
}

func (r *reader) array() []any {
	items := []any{}
	r.take('[')
	if r.peek() == ']' {
		r.at++
		return items
	}
	for {
		items = append(items, r.value())
		if r.peek() == ']' {
			r.at++
			return items
		}
		r.take(',')
	}
}

func (r *reader) object() any {
	start := r.at
	r.take('{')
	found := Map{}
	if r.peek() == '}' {
		r.at++
		return found
	}
	tagged := false
	for {
		if r.peek() != '"' {
			r.fail("expected a key")
		}
		key := r.str()
		tagged = tagged || key == "$"
		r.take(':')
		found.Pairs = append(found.Pairs, Pair{key, r.value()})
		if r.peek() == '}' {
			r.at++
			break
		}
		r.take(',')
	}
	if !tagged {
		return found
	}
	return r.tagged(found, r.text[start:r.at])
}

func (r *reader) tagged(node Map, raw string) any {
	entries := map[string]any{}
	for _, pair := range node.Pairs {
		entries[pair.Key.(string)] = pair.Value
	}
	kind, ok := entries["$"].(string)
	if !ok {
		r.fail("a tag that is no text")
	}
	switch kind {
	case "int":
		if value, ok := new(big.Int).SetString(r.text1(entries), 10); ok {
			return value
		}
		r.fail("no integer")
	case "float":
		switch r.text1(entries) {
		case "nan":
			return math.NaN()
		case "inf":
			return math.Inf(1)
		case "-inf":
			return math.Inf(-1)
		}
		r.fail("not nan, inf or -inf")
	case "str":
		return r.units(r.items(entries["v"]))
	case "tuple":
		return Sequence{Kind: kind, Items: r.items(entries["v"])}
	case "deque":
		return Sequence{Kind: kind, Maxlen: entries["maxlen"], Items: r.items(entries["v"])}
	case "set", "frozenset":
		return Set{kind, r.items(entries["v"])}
	case "bytes", "bytearray":
		data, err := base64.StdEncoding.DecodeString(r.text1(entries))
		if err != nil {
			r.fail("not base64")
		}
		return Bytes{kind, data}
	case "map", "ordered_map", "counter", "default_map":
		pairs := r.pairs(entries["v"])
		return Map{Kind: kind, Factory: entries["factory"], Pairs: pairs}
	case "record":
		return r.record(entries)
	}
	return Opaque{kind, raw}
}

func (r *reader) text1(entries map[string]any) string {
	text, ok := entries["v"].(string)
	if !ok {
		r.fail("v is no text")
	}
	return text
}

func (r *reader) items(v any) []any {
	sequence, ok := v.(Sequence)
	if !ok || sequence.Kind != "" {
		r.fail("v is not an array")
	}
	return sequence.Items
}

func (r *reader) pairs(v any) []Pair {
	items := r.items(v)
	pairs := make([]Pair, len(items))
	for i, item := range items {
		pair := r.items(item)
		if len(pair) != 2 {
			r.fail("not a pair of key and value")
		}
		pairs[i] = Pair{pair[0], pair[1]}
	}
	return pairs
}

func (r *reader) record(entries map[string]any) any {
	name, ok := entries["name"].(string)
	if !ok {
		r.fail("a record without a name")
	}
	found := Record{Name: name}
	for _, pair := range r.pairs(entries["fields"]) {
		field, ok := pair.Key.(string)
		if !ok {
			r.fail("a field without a name")
		}
		found.Fields = append(found.Fields, Field{field, pair.Value})
	}
	return found
}

// units joins UTF-16 code units; a lone surrogate becomes the three bytes that UTF-8 would give it, since
// a Go string holds any bytes.
func (r *reader) units(items []any) string {
	var out []byte
	for i := 0; i < len(items); i++ {
		unit, ok := items[i].(int64)
		if !ok || unit < 0 || unit > 0xFFFF {
			r.fail("not UTF-16 code units")
		}
		char := rune(unit)
		if utf16.IsSurrogate(char) {
			if i+1 < len(items) {
				if next, ok := items[i+1].(int64); ok {
					if joined := utf16.DecodeRune(char, rune(next)); joined != utf8.RuneError {
						out = utf8.AppendRune(out, joined)
						i++
						continue
					}
				}
			}
			out = append(out, 0xE0|byte(char>>12), 0x80|byte(char>>6)&0x3F, 0x80|byte(char)&0x3F)
			continue
		}
		out = utf8.AppendRune(out, char)
	}
	return string(out)
}
