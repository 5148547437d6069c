package solution

import (
	"strconv"
)

func plural(n int64, thing string, things string) string {
	if n != 1 {
		if things != "" {
			thing = things
		} else {
			thing += "s"
		}
	}
	return strconv.FormatInt(n, 10) + " " + thing
}
