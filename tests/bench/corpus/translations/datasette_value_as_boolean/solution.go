package solution

import (
	"strings"
)

func value_as_boolean(value string) bool {
	switch strings.ToLower(value) {
	case "on", "true", "1":
		return true
	case "off", "false", "0":
		return false
	}
	panic("not a boolean value: " + value)
}
