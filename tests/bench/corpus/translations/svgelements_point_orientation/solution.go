package main

import (
	"math"
	"math/big"
)

// orientationNumber holds a whole number exactly (whole is set), any other as float64.
type orientationNumber struct {
	whole *big.Int
	real  float64
}

func orientationLift(x float64) orientationNumber {
	if !math.IsNaN(x) && !math.IsInf(x, 0) && x == math.Trunc(x) {
		b, _ := new(big.Float).SetFloat64(x).Int(nil)
		return orientationNumber{whole: b}
	}
	return orientationNumber{real: x}
}

func (n orientationNumber) float() float64 {
	if n.whole == nil {
		return n.real
	}
	d, _ := new(big.Float).SetInt(n.whole).Float64()
	return d
}

func orientationMinus(a, b orientationNumber) orientationNumber {
	if a.whole != nil && b.whole != nil {
		return orientationNumber{whole: new(big.Int).Sub(a.whole, b.whole)}
	}
	return orientationNumber{real: float64(a.float() - b.float())}
}

func orientationTimes(a, b orientationNumber) orientationNumber {
	if a.whole != nil && b.whole != nil {
		return orientationNumber{whole: new(big.Int).Mul(a.whole, b.whole)}
	}
	return orientationNumber{real: float64(a.float() * b.float())}
}

func orientation(p []float64, q []float64, r []float64) int64 {
	px, py := orientationLift(p[0]), orientationLift(p[1])
	qx, qy := orientationLift(q[0]), orientationLift(q[1])
	rx, ry := orientationLift(r[0]), orientationLift(r[1])
	value := orientationMinus(
		orientationTimes(orientationMinus(qy, py), orientationMinus(rx, qx)),
		orientationTimes(orientationMinus(qx, px), orientationMinus(ry, qy)))
	if value.whole != nil {
		switch value.whole.Sign() {
		case 0:
			return 0
		case 1:
			return 1
		}
		return 2
	}
	if value.real == 0 {
		return 0
	}
	if value.real > 0 {
		return 1
	}
	return 2
}
