package solution

import (
	"math"
)

func determine_entry_type(iterable []float64) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range iterable {
		low, high = math.Min(low, x), math.Max(high, x)
	}
	if len(iterable) == 0 || (low >= 0 && high <= 0xff) {
		return "uint8_t"
	}
	if low >= 0 && high <= 0xffff {
		return "uint16_t"
	}
	return "uint32_t"
}
