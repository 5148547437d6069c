package main

import (
	"math"
	"math/big"
)

func respondFloat(x *big.Int) float64 {
	f, _ := new(big.Float).SetInt(x).Float64()
	return f
}

func binary_search_respond(low float64, mid int64, high int64, value bool) map[string]float64 {
	newHigh := float64(high)
	var newMid float64
	if value {
		newHigh = float64(mid)
		if low == math.Trunc(low) && !math.IsInf(low, 0) {
			l, _ := big.NewFloat(low).Int(nil)
			l.Add(l, big.NewInt(mid))
			newMid = respondFloat(l.Rsh(l, 1))
		} else {
			newMid = math.Floor((low + float64(mid)) / 2)
		}
	} else {
		l := new(big.Int).Add(big.NewInt(mid), big.NewInt(1))
		low = respondFloat(l)
		l.Add(l, big.NewInt(high))
		newMid = respondFloat(l.Rsh(l, 1))
	}
	return map[string]float64{"low": low, "mid": newMid, "high": newHigh}
}
