package main

func rotate_point(point []float64, rotation int64) []float64 {
	q := (rotation%4 + 4) % 4
	if q == 0 {
		return point
	}
	if len(point) < 2 {
		panic("a point needs two numbers")
	}
	x, y := point[0], point[1]
	// 0 - v: a whole 0 stays 0
	switch q {
	case 1:
		return []float64{y, 0 - x}
	case 2:
		return []float64{0 - x, 0 - y}
	}
	return []float64{0 - y, x}
}
