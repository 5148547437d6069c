package main

import (
	"math"
	"math/big"
)

func factorBig(x any) *big.Int {
	switch v := x.(type) {
	case int:
		return big.NewInt(int64(v))
	case int32:
		return big.NewInt(int64(v))
	case int64:
		return big.NewInt(v)
	case *big.Int:
		return new(big.Int).Set(v)
	case float64:
		b, _ := big.NewFloat(v).Int(nil)
		return b
	}
	panic("not an integer")
}

func factorNarrow(x *big.Int) any {
	if x.IsInt64() {
		return int(x.Int64())
	}
	return x
}

func factorSame(x any, factor int64) bool {
	switch v := x.(type) {
	case int:
		return int64(v) == factor
	case int64:
		return v == factor
	case float64:
		return v == math.Trunc(v) && v == float64(factor)
	case *big.Int:
		return v.IsInt64() && v.Int64() == factor
	}
	return false
}

func add_factor(row map[string]any, factor int64) map[string]any {
	result := make(map[string]any, len(row))
	for k, v := range row {
		result[k] = v
	}
	var factors []any
	has := false
	switch l := row["factors"].(type) {
	case []any:
		factors, has = append([]any{}, l...), true
	case []float64:
		has = true
		factors = []any{}
		for _, x := range l {
			factors = append(factors, x)
		}
	case []int:
		has = true
		factors = []any{}
		for _, x := range l {
			factors = append(factors, x)
		}
	}
	if has {
		result["factors"] = factors
	}
	if factor == 0 {
		panic("division by zero")
	}
	composite := factorBig(row["composite"])
	f := big.NewInt(factor)
	if new(big.Int).Rem(composite, f).Sign() != 0 {
		return result
	}
	if composite.Sign() == 0 || factor == 1 || factor == -1 {
		panic("the value can be divided without end")
	}
	if !has {
		panic("no factors")
	}
	index := factor
	if index < 0 {
		index += int64(len(factors))
	}
	for new(big.Int).Rem(composite, f).Sign() == 0 {
		composite = new(big.Int).Quo(composite, f)
		if index < 0 || index >= int64(len(factors)) {
			panic("index out of range")
		}
		// the position is the factor itself; a factor already listed is counted up, else it starts at 1
		listed := false
		for _, x := range factors {
			if factorSame(x, factor) {
				listed = true
				break
			}
		}
		if !listed {
			factors[index] = 1
		} else if d, ok := factors[index].(float64); ok {
			factors[index] = d + 1
		} else {
			b := factorBig(factors[index])
			factors[index] = factorNarrow(b.Add(b, big.NewInt(1)))
		}
	}
	result["composite"] = factorNarrow(composite)
	return result
}
