package solution

import (
	"fmt"
	"strconv"
)

func resolve(doc any, parts []any) any {
	cur := doc
	for _, part := range parts {
		if m, ok := cur.(map[string]any); ok {
			v, ok := m[fmt.Sprint(part)]
			if !ok {
				panic(fmt.Sprint("no such key: ", part))
			}
			cur = v
			continue
		}
		i := 0
		switch x := part.(type) {
		case int64:
			i = int(x)
		case int:
			i = x
		case float64:
			i = int(x)
		default:
			n, err := strconv.Atoi(fmt.Sprint(part))
			if err != nil {
				panic(err)
			}
			i = n
		}
		switch x := cur.(type) {
		case []any:
			if i < 0 {
				i += len(x)
			}
			cur = x[i]
		case string:
			r := []rune(x)
			if i < 0 {
				i += len(r)
			}
			cur = string(r[i])
		default:
			panic(fmt.Sprint("no such item: ", part))
		}
	}
	return cur
}
