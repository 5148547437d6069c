package main

import "strings"

func strings_alphanumeric(string_ string) string {
	return strings.Map(func(c rune) rune {
		if (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' {
			return c
		}
		return -1
	}, string_)
}
