package solution

import (
	"math/big"
	"reflect"
	"strings"
)

func isNumber(v any) bool {
	switch v.(type) {
	case int, int64, float64, *big.Int:
		return true
	}
	return false
}

func toRat(v any) *big.Rat {
	switch x := v.(type) {
	case int:
		return new(big.Rat).SetInt64(int64(x))
	case int64:
		return new(big.Rat).SetInt64(x)
	case *big.Int:
		return new(big.Rat).SetInt(x)
	case float64:
		return new(big.Rat).SetFloat64(x) // nil if not finite
	}
	return nil
}

func equal(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if isNumber(a) && isNumber(b) {
		x, y := toRat(a), toRat(b)
		if x == nil || y == nil {
			f, ok1 := a.(float64)
			g, ok2 := b.(float64)
			return ok1 && ok2 && f == g
		}
		return x.Cmp(y) == 0
	}
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equal(x[i], y[i]) {
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
			w, has := y[k]
			if !has || !equal(v, w) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

func contains(parent, item any) bool {
	switch p := parent.(type) {
	case string:
		s, ok := item.(string)
		return ok && strings.Contains(p, s)
	case []any:
		for _, x := range p {
			if equal(x, item) {
				return true
			}
		}
	case map[string]any:
		s, ok := item.(string)
		if !ok {
			return false
		}
		_, has := p[s]
		return has
	case map[any]any:
		for k := range p {
			if equal(k, item) {
				return true
			}
		}
	}
	return false
}

func should_defer(parent_defer_usages any, defer_usage_set []any) bool {
	if parent_defer_usages == nil {
		return true
	}
	for _, item := range defer_usage_set {
		if !contains(parent_defer_usages, item) {
			return true
		}
	}
	return false
}
