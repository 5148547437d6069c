package solution

import (
	"sort"
)

func canonsort_keys(keys []string, canonical_order []string) []string {
	index := make(map[string]int, len(canonical_order))
	for i, k := range canonical_order {
		index[k] = i
	}
	head, tail := []string{}, []string{}
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
