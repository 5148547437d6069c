package main

func shorten(text string, width int64, suffix string) string {
	chars := []rune(text)
	if int64(len(chars)) <= width {
		return text
	}
	if width < 0 {
		panic("width must be equal or greater than 0")
	}
	w := int(width)
	tail := []rune(suffix)
	if w > len(tail) {
		return string(chars[:w-len(tail)]) + suffix
	}
	return string(tail[len(tail)-w:])
}
