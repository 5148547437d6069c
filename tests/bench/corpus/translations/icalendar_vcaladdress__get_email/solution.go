package solution

func get_email(email string) string {
	const prefix = "mailto:"
	if len(email) >= len(prefix) {
		for i := 0; i < len(prefix); i++ {
			c := email[i]
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != prefix[i] {
				return prefix + email
			}
		}
		return email
	}
	return prefix + email
}
