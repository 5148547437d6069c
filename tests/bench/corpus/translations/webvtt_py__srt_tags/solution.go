package main

import (
	"math/big"
	"strings"
	"unicode"
)

func srtSpace(c rune) bool {
	return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
		(c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000
}

func srtBig(x any) *big.Int {
	switch v := x.(type) {
	case int:
		return big.NewInt(int64(v))
	case int64:
		return big.NewInt(v)
	case float64:
		b, _ := big.NewFloat(v).Int(nil)
		return b
	case *big.Int:
		return v
	}
	return big.NewInt(0)
}

func srt_tags(tag string, colours map[string][]any) []string {
	fields := strings.FieldsFunc(tag, srtSpace)
	if len(fields) == 0 {
		return nil
	}
	parts := strings.Split(fields[0], ".")
	name := parts[0]
	if name == "" {
		return nil
	}
	for _, c := range name {
		if !unicode.IsLetter(c) {
			return nil
		}
	}
	if name == "font" {
		return []string{name, "<" + tag + ">", "</font>"}
	}
	open, end := "", ""
	if name == "b" || name == "i" || name == "u" {
		open = "<" + name + ">"
		end = "</" + name + ">"
	}
	found := false
	var order *big.Int
	colour := ""
	for _, c := range parts[1:] {
		item, ok := colours[c]
		if !ok || len(item) < 2 {
			continue
		}
		o := srtBig(item[0])
		text, _ := item[1].(string)
		// in UTF-8 the order of bytes is that of code points
		if !found || o.Cmp(order) > 0 || (o.Cmp(order) == 0 && text > colour) {
			found, order, colour = true, o, text
		}
	}
	if found {
		open += "<font color=\"" + colour + "\">"
		end = "</font>" + end
	}
	return []string{name, open, end}
}
