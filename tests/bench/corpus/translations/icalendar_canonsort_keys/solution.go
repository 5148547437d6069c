package solution

import (
	"sort"
)

func canonsort_keys(keys []float64, canonical_order []float64) []float64 {
	index := make(map[float64]int, len(canonical_order))
	for i, k := range canonical_order {
		index[k] = i
	}
	head, tail := []float64{}, []float64{}
	for _, k := range keys {
		if _, ok := index[k]; ok {
			head = append(head, k)
		} else {
			tail = append(tail, k)
		}
	}
	sort.SliceStable(head, func(i, j int) bool { return index[head[i]] < index[head[j]] })
	sort.SliceStable(tail, func(i, j int) bool { return tail[i] < tail[j] })
	return append(head, tail...)
}
