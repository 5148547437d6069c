package solution

import (
	"strings"
)

func skip_doctest(doc *string) string {
	if doc == nil {
		return ""
	}
	lines := strings.Split(*doc, "\n")
	for i, line := range lines {
		stripped := strings.TrimFunc(line, isSpace)
		if stripped == ">>>" || strings.HasPrefix(stripped, ">>> #") {
			continue
		}
		if strings.Contains(stripped, ">>>") && !strings.Contains(stripped, "+SKIP") {
			if strings.Contains(line, "# doctest:") {
				lines[i] = line + ", +SKIP"
			} else {
				lines[i] = line + "  # doctest: +SKIP"
			}
		}
	}
	return strings.Join(lines, "\n")
}

func isSpace(r rune) bool {
	return (r >= 9 && r <= 13) || (r >= 0x1c && r <= 0x20) || r == 0x85 || r == 0xa0 || r == 0x1680 ||
		(r >= 0x2000 && r <= 0x200a) || r == 0x2028 || r == 0x2029 || r == 0x202f || r == 0x205f || r == 0x3000
}
