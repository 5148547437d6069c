package solution

import (
	"strings"
)

func has_codepoints(property map[string]any) bool {
	switch values := property["values"].(type) {
	case map[string]any:
		for _, v := range values {
			switch x := v.(type) {
			case string:
				if strings.Contains(x, "codepoints") {
					return true
				}
			case map[string]any:
				if _, ok := x["codepoints"]; ok {
					return true
				}
			}
		}
	case map[string]string:
		for _, v := range values {
			if strings.Contains(v, "codepoints") {
				return true
			}
		}
	}
	return false
}
