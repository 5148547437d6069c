package solution

import (
	"sort"
)

func line_ranges(statements []float64, lines []float64) [][]float64 {
	s := append([]float64{}, statements...)
	l := append([]float64{}, lines...)
	sort.Float64s(s)
	sort.Float64s(l)
	pairs := [][]float64{}
	start, end, next := 0.0, 0.0, 0 // start 0: no range is open
	for _, x := range s {
		if next >= len(l) {
			break
		}
		if x == l[next] {
			next++
			if start == 0 {
				start = x
			}
			end = x
		} else if start != 0 {
			pairs = append(pairs, []float64{start, end})
			start = 0
		}
	}
	if start != 0 {
		pairs = append(pairs, []float64{start, end})
	}
	return pairs
}
