package main

import (
	"math/bits"
)

func count_bits(value int64) int64 {
	if value < 0 {
		value = -value
	}
	return int64(bits.OnesCount64(uint64(value)))
}
