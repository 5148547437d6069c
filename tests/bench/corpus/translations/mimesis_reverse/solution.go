package solution

func reverse(value string) string {
	all := []rune(value)
	for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
		all[i], all[j] = all[j], all[i]
	}
	return string(all)
}
