package solution

import (
	"math/big"
	"reflect"
)

func is_inside(parts []any, container []any) bool {
	if len(parts) <= len(container) {
		return false
	}
	for i, v := range container {
		if !same(v, parts[i]) {
			return false
		}
	}
	return true
}

func same(a, b any) bool {
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && x.Cmp(y) == 0
	}
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			w, ok := y[k]
			if !ok || !same(v, w) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

func number(v any) (*big.Rat, bool) {
	r := new(big.Rat)
	switch x := v.(type) {
	case bool:
		if x {
			r.SetInt64(1)
		}
		return r, true
	case int:
		return r.SetInt64(int64(x)), true
	case int64:
		return r.SetInt64(x), true
	case float64:
		if r.SetFloat64(x) == nil {
			return nil, false
		}
		return r, true
	case *big.Int:
		if x == nil {
			return nil, false
		}
		return r.SetInt(x), true
	}
	return nil, false
}
