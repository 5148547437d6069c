package main

import "strconv"

func luhn_append(number int64, chars string) string {
	alphabet := []rune(chars)
	size := len(alphabet)
	if size == 0 {
		panic("no characters")
	}
	text := strconv.FormatInt(number, 10)
	// The place of the check digit holds the first character, whose value is 0.
	sum := 0
	for place := 1; place <= len(text); place++ {
		value := -1
		for i, c := range alphabet {
			if c == rune(text[len(text)-place]) {
				value = i
				break
			}
		}
		if value < 0 {
			panic("character not found")
		}
		if place%2 == 0 {
			sum += value
		} else {
			sum += value*2/size + value*2%size
		}
	}
	check := sum % size
	if check == 0 {
		return text + string(alphabet[0])
	}
	return text + string(alphabet[size-check])
}
