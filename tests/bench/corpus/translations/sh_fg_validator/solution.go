package solution

import (
	"math/big"
	"reflect"
)

func fg_validator(passed_kwargs map[string]any, merged_kwargs map[string]any) [][]string {
	invalid := [][]string{}
	if !truthy(passed_kwargs["fg"]) {
		return invalid
	}
	for k := range passed_kwargs {
		switch k {
		case "env", "fg", "cwd", "ok_code":
		default:
			return append(invalid, []string{"fg", "_fg is invalid with nearly every other option, see warning and workaround here:\n\n    https://sh.readthedocs.io/en/latest/sections/special_arguments.html#fg"})
		}
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
