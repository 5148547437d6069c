package solution

import "fmt"

func PERCENT(string_ string) string {
	out := ""
	for _, each := range []byte(string_) {
		out += fmt.Sprintf("%%%02X", each)
	}
	return out
}
