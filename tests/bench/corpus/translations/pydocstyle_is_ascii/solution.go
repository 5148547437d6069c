package solution

func is_ascii(text string) bool {
	for _, r := range text {
		if r >= 128 {
			return false
		}
	}
	return true
}
