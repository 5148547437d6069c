package solution

import "math/bits"

func bit_size(num int64) int64 {
	if num < 0 {
		num = -num
	}
	return int64(bits.Len64(uint64(num)))
}
