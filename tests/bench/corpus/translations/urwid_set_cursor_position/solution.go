package main

import "math/big"

func cursorNext(n int64) string {
	return new(big.Int).Add(big.NewInt(n), big.NewInt(1)).String()
}

func set_cursor_position(x int64, y int64) string {
	return "\x1b[" + cursorNext(y) + ";" + cursorNext(x) + "H"
}
