package main

import "strings"

func strings_remove_punctuation(string_ string) string {
	const marks = "!\"#'()*+,-./:;<=>?[]^_`{|}~\u2019\u201e\u201c\u00bb\u00ab"
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune(marks, c) {
			return -1
		}
		return c
	}, string_)
}
