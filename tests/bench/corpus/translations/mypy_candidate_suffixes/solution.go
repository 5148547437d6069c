package solution

import "strings"

func candidate_suffixes(fullname string) []string {
	parts := strings.Split(fullname, ".")
	found := []string{""}
	for i := len(parts) - 1; i >= 0; i-- {
		found = append(found, strings.Join(parts[i:], ".")+".")
	}
	return found
}
