package values

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

type reader struct {
	*json.Decoder
	text string
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
	r := &reader{json.NewDecoder(strings.NewReader(text)), text}
	r.UseNumber()
	if strings.Contains(text, `\u`) && isHalved(text) {
		r.fail("a lone surrogate in plain text")
	}
	tree = r.value()
	if _, err := r.Token(); err != io.EOF {
		r.fail("text after the value")
	}
	return tree, nil
}

// isHalved tells whether an escape is half of a pair and stands alone: the library would read it as U+FFFD.
func isHalved(text string) bool {
	open := false
	for i := 0; i < len(text); i++ {
		var unit uint64
		if text[i] == '\\' {
			if i++; i+5 <= len(text) && text[i] == 'u' {
				unit, _ = strconv.ParseUint(text[i+1:i+5], 16, 16)
				i += 4
			}
		}
		if open != (unit >= 0xDC00 && unit < 0xE000) {
			return true
		}
		open = unit >= 0xD800 && unit < 0xDC00
	}
	return open
}

func (r *reader) fail(reason string) { panic(&Malformed{reason, int(r.InputOffset())}) }

func (r *reader) token() json.Token {
	token, err := r.Token()
	if err != nil {
		r.fail(err.Error())
	}
	return token
}

func (r *reader) value() any {
	switch token := r.token().(type) {
	case json.Number:
		return r.number(string(token))
	case json.Delim:
		if token == '{' {
			return r.object()
		}
		items := []any{}
		for r.More() {
			items = append(items, r.value())
		}
		r.token()
		return Sequence(items)
	default:
		return token
	}
}

func (r *reader) number(word string) any {
	if !strings.ContainsAny(word, ".eE") {
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

func (r *reader) object() any {
	start := r.InputOffset() - 1
	found := Map{}
	tagged := false
	for r.More() {
		key, _ := r.token().(string)
		tagged = tagged || key == "$"
		found = append(found, Pair{key, r.value()})
	}
	r.token()
	if !tagged {
		return found
	}
	return r.tagged(found, r.text[start:r.InputOffset()])
}

func (r *reader) tagged(node Map, raw string) any {
	entries := map[string]any{}
	for _, pair := range node {
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
	case "tuple", "deque":
		return Sequence(r.items(entries["v"]))
	case "set", "frozenset":
		return Set(r.items(entries["v"]))
	case "bytes", "bytearray":
		data, err := base64.StdEncoding.DecodeString(r.text1(entries))
		if err != nil {
			r.fail("not base64")
		}
		return data
	case "map", "ordered_map", "counter", "default_map":
		return Map(r.pairs(entries["v"]))
	case "record":
		return r.record(entries["fields"])
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
	if !ok {
		r.fail("v is not an array")
	}
	return sequence
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

func (r *reader) record(fields any) any {
	found := Record{}
	for _, pair := range r.pairs(fields) {
		field, ok := pair.Key.(string)
		if !ok {
			r.fail("a field without a name")
		}
		found = append(found, Field{field, pair.Value})
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
