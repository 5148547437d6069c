package solution

import (
	"math/big"
)

func pick_unit_and_suffix(size int64, suffixes []string, base int64) []any {
	if len(suffixes) == 0 {
		panic("no suffixes")
	}
	n, b, unit := big.NewInt(size), big.NewInt(base), big.NewInt(1)
	for i := 0; ; i++ {
		next := new(big.Int).Mul(unit, b)
		if n.Cmp(next) < 0 || i == len(suffixes)-1 {
			if unit.BitLen() <= 53 {
				return []any{unit.Int64(), suffixes[i]}
			}
			return []any{unit, suffixes[i]}
		}
		unit = next
	}
}
