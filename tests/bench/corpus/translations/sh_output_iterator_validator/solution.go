package solution

import (
	"math/big"
	"reflect"
)

func output_iterator_validator(passed_kwargs map[string]any, merged_kwargs map[string]any) [][]any {
	invalid := [][]any{}
	iter := passed_kwargs["iter"]
	if truthy(passed_kwargs["no_out"]) && (iter == any("out") || iter == any(true)) {
		invalid = append(invalid, []any{[]any{"no_out", "iter"}, "You cannot iterate over output if there is no output"})
	}
	return invalid
}

func truthy(v any) bool {
	if v == nil {
		return false
	}
	if n, ok := v.(*big.Int); ok {
		return n != nil && n.Sign() != 0
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Slice, reflect.Map:
		return rv.Len() > 0
	}
	return !rv.IsZero()
}
