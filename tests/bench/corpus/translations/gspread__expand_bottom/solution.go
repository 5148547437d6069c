package main

func expand_bottom(values [][]string, start int64, end int64, col int64) int64 {
	n := int64(len(values))
	for r := start; r < end; r++ {
		if r >= n {
			return n - 1
		}
		ri := r
		if ri < 0 {
			ri += n
		}
		if ri < 0 {
			panic("row index out of range")
		}
		row := values[ri]
		m := int64(len(row))
		if col >= m {
			return r - 1
		}
		ci := col
		if ci < 0 {
			ci += m
		}
		if ci < 0 {
			panic("column index out of range")
		}
		if row[ci] == "" {
			return r - 1
		}
	}
	return end - 1
}
