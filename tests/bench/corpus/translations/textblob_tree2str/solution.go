package solution

import "strings"

func tree2str(tree [][]any, concat string) string {
	words := make([]string, 0, len(tree))
	for _, pair := range tree {
		words = append(words, pair[0].(string))
	}
	return strings.Join(words, concat)
}
