package main

import "strings"

func smb_raw_io_readable(mode any) bool {
	hit := func(e any) bool {
		s, ok := e.(string)
		return ok && (s == "r" || s == "+")
	}
	switch m := mode.(type) {
	case string:
		return strings.ContainsAny(m, "r+")
	case []any:
		for _, e := range m {
			if hit(e) {
				return true
			}
		}
	case []string:
		for _, e := range m {
			if hit(e) {
				return true
			}
		}
	case map[string]any:
		for k := range m {
			if hit(k) {
				return true
			}
		}
	case map[any]any:
		for k := range m {
			if hit(k) {
				return true
			}
		}
	default:
		panic("mode is no text, list or map")
	}
	return false
}
