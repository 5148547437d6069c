"""The table program in Go."""

from __future__ import annotations

from collections.abc import Sequence

from pbt_generator.domain.task.tables.notation import CaseText, rows

_PROGRAM = """package main

// Under names of their own: the function may be called like a package.
import (
	tableHex "encoding/hex"
	tableFmt "fmt"
	tableMath "math"
	tableBig "math/big"
	tableReflect "reflect"
	tableSort "sort"
	tableStrconv "strconv"
	tableStrings "strings"
	tableUtf16 "unicode/utf16"
	tableUtf8 "unicode/utf8"
)

var tableRows = [][2]string{
{rows}
}

var tableAnswers = map[string]string{}

func init() {
	for _, row := range tableRows {
		tableAnswers[row[0]] = row[1]
	}
}

// tableUnits gives the UTF-16 code units of a text, in which a lone surrogate is three bytes.
func tableUnits(text string) []uint16 {
	var units []uint16
	for i := 0; i < len(text); {
		if i+2 < len(text) && text[i] == 0xED && text[i+1] >= 0xA0 {
			units = append(units, uint16(text[i]&0x0F)<<12|uint16(text[i+1]&0x3F)<<6|uint16(text[i+2]&0x3F))
			i += 3
			continue
		}
		char, size := tableUtf8.DecodeRuneInString(text[i:])
		units = tableUtf16.AppendRune(units, char)
		i += size
	}
	return units
}

func tableText(text string) string {
	var out tableStrings.Builder
	for _, unit := range tableUnits(text) {
		char := rune(unit)
		if char >= 'a' && char <= 'z' || char >= 'A' && char <= 'Z' || char >= '0' && char <= '9' ||
			tableStrings.ContainsRune(" _-+*/=.,:!?()[]{}<>@#&|^~", char) {
			out.WriteRune(char)
		} else {
			tableFmt.Fprintf(&out, "%%%04x", unit)
		}
	}
	return out.String()
}

func tableKey(value any) string {
	switch v := value.(type) {
	case nil:
		return "n"
	case bool:
		if v {
			return "t"
		}
		return "f"
	case int:
		return "i" + tableStrconv.Itoa(v) + ";"
	case *tableBig.Int:
		return "i" + v.String() + ";"
	case float64:
		if v == tableMath.Trunc(v) && tableMath.Abs(v) <= 1<<53 {
			return "i" + tableStrconv.FormatInt(int64(v), 10) + ";"
		}
		if v != v {
			return "d7ff8000000000000"
		}
		return tableFmt.Sprintf("d%016x", tableMath.Float64bits(v))
	case string:
		return "s" + tableText(v) + ";"
	case []byte:
		return "b" + tableHex.EncodeToString(v) + ";"
	}
	v := tableReflect.ValueOf(value)
	var items []string
	switch v.Kind() {
	case tableReflect.Slice, tableReflect.Array:
		for i := range v.Len() {
			items = append(items, tableKey(v.Index(i).Interface()))
		}
		return "[" + tableStrings.Join(items, "") + "]"
	case tableReflect.Map:
		isSet := v.Type().Elem().Kind() == tableReflect.Struct
		for iterator := v.MapRange(); iterator.Next(); {
			item := tableKey(iterator.Key().Interface())
			if !isSet {
				item += tableKey(iterator.Value().Interface())
			}
			items = append(items, item)
		}
		tableSort.Strings(items)
		if isSet {
			return "{" + tableStrings.Join(items, "") + "}"
		}
		return "<" + tableStrings.Join(items, "") + ">"
	}
	panic(tableFmt.Sprintf("a %T", value))
}

type tableReader struct {
	source string
	at     int
}

func (r *tableReader) until(end byte) string {
	size := tableStrings.IndexByte(r.source[r.at:], end)
	found := r.source[r.at : r.at+size]
	r.at += size + 1
	return found
}

func (r *tableReader) items(end byte) []any {
	found := []any{}
	for r.source[r.at] != end {
		found = append(found, r.value())
	}
	r.at++
	return found
}

func (r *tableReader) text() string {
	escaped := r.until(';')
	var out []byte
	for i := 0; i < len(escaped); i++ {
		if escaped[i] != '%' {
			out = append(out, escaped[i])
			continue
		}
		unit, _ := tableStrconv.ParseUint(escaped[i+1:i+5], 16, 16)
		i += 4
		char := rune(unit)
		if tableUtf16.IsSurrogate(char) {
			if i+5 < len(escaped) && escaped[i+1] == '%' {
				low, _ := tableStrconv.ParseUint(escaped[i+2:i+6], 16, 16)
				if joined := tableUtf16.DecodeRune(char, rune(low)); joined != tableUtf8.RuneError {
					out = tableUtf8.AppendRune(out, joined)
					i += 5
					continue
				}
			}
			out = append(out, 0xE0|byte(char>>12), 0x80|byte(char>>6)&0x3F, 0x80|byte(char)&0x3F)
			continue
		}
		out = tableUtf8.AppendRune(out, char)
	}
	return string(out)
}

// tableHashable makes an array of a slice, for Go's maps take no slices as keys.
func tableHashable(value any) any {
	items, ok := value.([]any)
	if !ok {
		return value
	}
	array := tableReflect.New(tableReflect.ArrayOf(len(items), tableReflect.TypeFor[any]())).Elem()
	for i, item := range items {
		if item != nil {
			array.Index(i).Set(tableReflect.ValueOf(tableHashable(item)))
		}
	}
	return array.Interface()
}

func (r *tableReader) value() any {
	r.at++
	switch r.source[r.at-1] {
	case 'n':
		return nil
	case 't':
		return true
	case 'f':
		return false
	case 'i':
		number, _ := new(tableBig.Int).SetString(r.until(';'), 10)
		if number.IsInt64() {
			return int(number.Int64())
		}
		return number
	case 'd':
		r.at += 16
		bits, _ := tableStrconv.ParseUint(r.source[r.at-16:r.at], 16, 64)
		return tableMath.Float64frombits(bits)
	case 's':
		return r.text()
	case 'b':
		data, _ := tableHex.DecodeString(r.until(';'))
		return data
	case '[':
		return r.items(']')
	case '{':
		found := map[any]struct{}{}
		for _, item := range r.items('}') {
			found[tableHashable(item)] = struct{}{}
		}
		return found
	}
	flat := r.items('>')
	texts, mixed := map[string]any{}, map[any]any{}
	for i := 0; i < len(flat); i += 2 {
		if name, ok := flat[i].(string); ok {
			texts[name] = flat[i+1]
		}
		mixed[tableHashable(flat[i])] = flat[i+1]
	}
	if len(texts) == len(flat)/2 {
		return texts
	}
	return mixed
}

func ENTRY(given ...any) any {
	answer, found := tableAnswers[tableKey(given)]
	if !found {
		panic("no such case")
	}
	return (&tableReader{source: answer}).value()
}
"""


def table_program(entry_point: str, cases: Sequence[CaseText], *, broken: bool = False) -> str:
    """Write the program; see `tables.table_program`."""
    lines = "\n".join(f'\t{{"{key}", "{text}"}},' for key, text in rows(cases, broken=broken))
    head, tail = _PROGRAM.replace("ENTRY", entry_point).split("{rows}")
    return head + lines + tail
