package solution

func truthy(v any) bool {
	switch x := v.(type) {
	case nil:
		return false
	case bool:
		return x
	case string:
		return x != ""
	case int:
		return x != 0
	case float64:
		return x != 0
	}
	return true
}

func binary_search_operations(operations [][]any, low int64, high int64) []any {
	mid := low
	out := []any{}
	for _, op := range operations {
		name, _ := op[0].(string)
		switch name {
		case "get_next":
			out = append(out, int(mid))
		case "respond":
			if truthy(op[1]) {
				high = mid
			} else {
				low = mid + 1
			}
			// floor of the mean, without overflow
			mid = (low & high) + ((low ^ high) >> 1)
			out = append(out, nil)
		case "found":
			out = append(out, low >= high)
		case "result":
			if low < high {
				panic("not found yet")
			}
			out = append(out, int(high))
		default:
			panic("unknown operation " + name)
		}
	}
	return out
}
