package solution

import (
	"math/big"
	"strings"
)

func flag_words(flags int64, flag_defs [][]any) string {
	words := []string{}
	for _, d := range flag_defs {
		value := new(big.Int)
		switch x := d[1].(type) {
		case int64:
			value.SetInt64(x)
		case int:
			value.SetInt64(int64(x))
		case float64:
			value.SetInt64(int64(x))
		case *big.Int:
			value = x
		}
		if new(big.Int).And(big.NewInt(flags), value).Sign() != 0 {
			words = append(words, d[0].(string))
		}
	}
	return strings.Join(words, ", ")
}
