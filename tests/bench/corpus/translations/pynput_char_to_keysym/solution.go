package main

func char_to_keysym(char string) int64 {
	runes := []rune(char)
	if len(runes) != 1 {
		panic("a single character is expected")
	}
	cp := int64(runes[0])
	if cp < 256 {
		return cp
	}
	return cp | 16777216
}
