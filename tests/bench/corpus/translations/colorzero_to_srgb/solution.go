package main

import (
	"math"
	"math/big"
)

func to_srgb(c float64) float64 {
	if c <= 0.0031308 {
		return 12.92 * c
	}
	// divided at run time in float64, not as an exact constant
	one, d := 1.0, 2.4
	y := math.Pow(c, one/d)
	if !math.IsInf(c, 0) && !math.IsNaN(c) {
		// math.Pow may be off in the last digit: y^12 against c^5 in high precision
		power := func(x float64, n int) *big.Float {
			p := new(big.Float).SetPrec(1000).SetInt64(1)
			b := new(big.Float).SetPrec(1000).SetFloat64(x)
			for i := 0; i < n; i++ {
				p.Mul(p, b)
			}
			return p
		}
		y12 := power(y, 12)
		q := power(c, 5)
		q.Sub(q, y12)
		rest, _ := q.Quo(q, y12).Float64()
		// 1 / 2.4 as a float64 is 5 / 12 + 1.850371707708594e-17
		y += float64(y * (rest/12 + 1.850371707708594e-17*math.Log(c)))
	}
	scaled := float64(1.055 * y)
	return scaled - 0.055
}
