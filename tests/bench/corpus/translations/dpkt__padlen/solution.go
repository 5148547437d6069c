package main

import (
	"unicode/utf8"
)

func padlen(s string) int64 {
	return int64((4 - utf8.RuneCountInString(s)%4) % 4)
}
