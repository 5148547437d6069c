package solution

import (
	"math"
)

func dpi(px_per_meter float64) int64 {
	if px_per_meter == 0 {
		return 96
	}
	return int64(math.RoundToEven(px_per_meter * 0.0254))
}
