package solution

import (
	"math"
	"math/big"
)

func ratio_reduce(total int64, ratios []int64, maximums []int64, values []int64) []int64 {
	n := min(len(ratios), len(maximums))
	r := make([]*big.Int, n)
	totalRatio, remaining := new(big.Int), big.NewInt(total)
	for i := range r {
		r[i] = new(big.Int)
		if maximums[i] != 0 {
			r[i].SetInt64(ratios[i])
		}
		totalRatio.Add(totalRatio, r[i])
	}
	if totalRatio.Sign() == 0 {
		return append([]int64{}, values...)
	}
	result := []int64{}
	for i := 0; i < n && i < len(values); i++ {
		if r[i].Sign() == 0 || totalRatio.Sign() <= 0 {
			result = append(result, values[i])
			continue
		}
		q, _ := new(big.Rat).SetFrac(new(big.Int).Mul(r[i], remaining), totalRatio).Float64()
		part, _ := big.NewFloat(math.RoundToEven(q)).Int(nil)
		if m := big.NewInt(maximums[i]); m.Cmp(part) < 0 {
			part = m
		}
		result = append(result, new(big.Int).Sub(big.NewInt(values[i]), part).Int64())
		remaining.Sub(remaining, part)
		totalRatio.Sub(totalRatio, r[i])
	}
	return result
}
