package main

import "math/big"

func ordered_set_update_items(items []any) map[string]any {
	own := make([]any, len(items))
	copy(own, items)

	allTexts := true
	for _, item := range items {
		if _, ok := item.(string); !ok {
			allTexts = false
			break
		}
	}
	if allTexts {
		texts := make(map[string]any, len(items))
		for i, item := range items {
			texts[item.(string)] = i
		}
		return map[string]any{"items": own, "map": texts}
	}

	mixed := make(map[any]any, len(items))
	bigs := map[string]*big.Int{} // equal large integers share one key
	for i, item := range items {
		if b, ok := item.(*big.Int); ok {
			first, seen := bigs[b.String()]
			if !seen {
				first = b
				bigs[b.String()] = b
			}
			mixed[first] = i
			continue
		}
		mixed[item] = i
	}
	return map[string]any{"items": own, "map": mixed}
}
