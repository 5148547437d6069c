package solution

import "math"

func dpi(units_specifier float64, px_per_unit float64) int64 {
	if units_specifier == 1 && px_per_unit != 0 {
		return int64(math.RoundToEven(px_per_unit * 0.0254))
	}
	return 72
}
