package main

import (
	"math/big"
)

func xord(char any) int64 {
	switch v := char.(type) {
	case string:
		for _, r := range v {
			return int64(r)
		}
	case int:
		return int64(v)
	case int64:
		return v
	case *big.Int:
		return v.Int64()
	}
	return 0
}
