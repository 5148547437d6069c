package solution

import (
	"math"
	"math/big"
)

func float_to_rational(flt float64) []int64 {
	var parts []*big.Int
	for x := flt; ; {
		whole := math.Trunc(x)
		n, _ := big.NewFloat(whole).Int(nil)
		parts = append(parts, n)
		e := x - whole
		if math.Abs(e) < 0.0001 {
			break
		}
		if len(parts) > 990 {
			panic("no rational found")
		}
		x = 1 / e
	}
	num, den := parts[len(parts)-1], big.NewInt(1)
	for i := len(parts) - 2; i >= 0; i-- {
		next := new(big.Int).Mul(parts[i], num)
		num, den = next.Add(next, den), num
	}
	return []int64{num.Int64(), den.Int64()}
}
