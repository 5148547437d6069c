package main

import (
	"math/big"
	"strings"
)

func sorterEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case bool:
		return !v
	case int:
		return v == 0
	case int64:
		return v == 0
	case *big.Int:
		return v.Sign() == 0
	case float64:
		return v == 0
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	case map[any]any:
		return len(v) == 0
	}
	return false
}

func sorterMinus(value any, n int64) float64 {
	var b *big.Int
	switch v := value.(type) {
	case int:
		b = big.NewInt(int64(v))
	case int64:
		b = big.NewInt(v)
	case *big.Int:
		b = v
	case float64:
		return v - float64(n)
	default:
		panic("a number is expected")
	}
	d, _ := new(big.Float).SetInt(new(big.Int).Sub(b, big.NewInt(n))).Float64()
	return d
}

func sorter(four_item []any) float64 {
	third := four_item[2]
	if sorterEmpty(third) {
		return sorterMinus(four_item[3], 200)
	}
	weight := sorterMinus(third, 0)
	if weight < 10 {
		return sorterMinus(third, 100)
	}
	first, ok := four_item[0].(string)
	if !ok {
		panic("the first item must be a text")
	}
	if strings.HasPrefix(first, "auto") {
		return sorterMinus(third, 100)
	}
	return weight
}
