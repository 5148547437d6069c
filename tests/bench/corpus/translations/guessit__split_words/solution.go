package main

import "math/big"

func splitWordsTruthy(v any) bool {
	switch x := v.(type) {
	case nil:
		return false
	case bool:
		return x
	case int:
		return x != 0
	case int64:
		return x != 0
	case *big.Int:
		return x.Sign() != 0
	case float64:
		return x != 0
	case string:
		return x != ""
	case []any:
		return len(x) > 0
	case map[string]any:
		return len(x) > 0
	case map[any]any:
		return len(x) > 0
	}
	return true
}

func split_words(entries []any) [][]any {
	word := []any{}
	num := []any{}
	for _, e := range entries {
		if s, ok := e.(string); ok {
			word = append(word, s)
			continue
		}
		var value, numfirst any
		var ok bool
		switch m := e.(type) {
		case map[string]any:
			value, ok = m["value"]
			numfirst = m["numfirst"]
		case map[any]any:
			value, ok = m["value"]
			numfirst = m["numfirst"]
		default:
			panic("entry is neither a text nor a map")
		}
		if !ok {
			panic("missing key: value")
		}
		word = append(word, value)
		if splitWordsTruthy(numfirst) {
			num = append(num, value)
		}
	}
	return [][]any{word, num}
}
