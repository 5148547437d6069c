package main

import (
	"math/big"
)

func base_deserializer_contains_block_marker(obj map[string]any) bool {
	stack := []any{obj}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		found := false
		look := func(k any, v any) {
			if k == "__is_block__" && blockTruthy(v) {
				found = true
			}
			switch x := v.(type) {
			case map[string]any, map[any]any:
				stack = append(stack, x)
			case []any:
				for _, e := range x {
					switch e.(type) {
					case map[string]any, map[any]any:
						stack = append(stack, e)
					}
				}
			}
		}
		switch m := top.(type) {
		case map[string]any:
			for k, v := range m {
				look(k, v)
			}
		case map[any]any:
			for k, v := range m {
				look(k, v)
			}
		}
		if found {
			return true
		}
	}
	return false
}

func blockTruthy(v any) bool {
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
