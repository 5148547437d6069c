package solution

func is_ascii(string []string) bool {
	for _, s := range string {
		for i := 0; i < len(s); i++ {
			if s[i] >= 128 {
				return false
			}
		}
	}
	return true
}
