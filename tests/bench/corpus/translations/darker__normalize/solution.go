package main

import "strings"

func isBlank(c rune) bool {
	switch {
	case c >= 0x09 && c <= 0x0d, c >= 0x1c && c <= 0x20, c == 0x85, c == 0xa0, c == 0x1680,
		c >= 0x2000 && c <= 0x200a, c == 0x2028, c == 0x2029, c == 0x202f, c == 0x205f, c == 0x3000:
		return true
	}
	return false
}

func splitLines(text string) []string {
	lines := []string{}
	start := 0
	afterCR := false
	for i, c := range text {
		if c == '\n' && afterCR {
			// The second half of \r\n: the line has been taken already.
			start = i + 1
			afterCR = false
			continue
		}
		afterCR = false
		switch {
		case c >= 0x0a && c <= 0x0d, c >= 0x1c && c <= 0x1e:
			lines = append(lines, text[start:i])
			start = i + 1
			afterCR = c == '\r'
		case c == 0x85:
			lines = append(lines, text[start:i])
			start = i + 2
		case c == 0x2028, c == 0x2029:
			lines = append(lines, text[start:i])
			start = i + 3
		}
	}
	if start < len(text) {
		lines = append(lines, text[start:])
	}
	return lines
}

func normalize(lineend string, value string) string {
	lines := splitLines(value)
	for i, line := range lines {
		lines[i] = strings.TrimFunc(line, isBlank)
	}
	return strings.TrimFunc(strings.Join(lines, lineend), isBlank)
}
