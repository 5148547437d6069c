package solution

import (
	"strings"
)

func quote(val string) string {
	q := `"`
	if strings.Contains(val, q) {
		q = "'"
	}
	return q + val + q
}
