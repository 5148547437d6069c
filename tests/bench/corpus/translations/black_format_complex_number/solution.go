package solution

import "strings"

func format_complex_number(text string) string {
	all := []rune(text)
	if len(all) == 0 {
		return text
	}
	number, suffix := string(all[:len(all)-1]), string(all[len(all)-1:])
	parts := strings.Split(number, ".")
	switch len(parts) {
	case 1:
		return text
	case 2:
		for i := range parts {
			if parts[i] == "" {
				parts[i] = "0"
			}
		}
		return parts[0] + "." + parts[1] + suffix
	}
	panic("two points")
}
