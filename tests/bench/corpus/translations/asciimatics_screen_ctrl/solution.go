package main

import (
	"unicode"
)

func ctrl(char any) *int64 {
	var code int64
	switch v := char.(type) {
	case string:
		r := []rune(v)
		if len(r) != 1 {
			return nil
		}
		code = int64(unicode.ToUpper(r[0]))
	case int:
		code = int64(v)
	case int64:
		code = v
	case float64:
		code = int64(v)
	default:
		return nil
	}
	if code < 64 || code > 95 {
		return nil
	}
	res := code - 64
	return &res
}
