package solution

func common_prefix_length(a string, b string) int64 {
	x, y := []rune(a), []rune(b)
	i := 0
	for i < len(x) && i < len(y) && x[i] == y[i] {
		i++
	}
	return int64(i)
}
