package solution

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

func format_bytes(bytes string) string {
	size, ok := parseNumber(bytes)
	if !ok || math.IsInf(size, -1) {
		panic("not a number: " + bytes)
	}
	if size < 1024 {
		n, _ := big.NewFloat(size).Int(nil)
		return n.String() + " bytes"
	}
	unit := ""
	size /= 1024
	for _, unit = range []string{"KB", "MB", "GB", "TB"} {
		if size < 1024 {
			break
		}
		size /= 1024
	}
	if !math.IsNaN(size) && !math.IsInf(size, 0) {
		size, _ = strconv.ParseFloat(strconv.FormatFloat(size, 'f', 1, 64), 64)
	}
	return floatRepr(size) + " " + unit
}

func isSpace(r rune) bool {
	return (r >= 9 && r <= 13) || (r >= 0x1c && r <= 0x20) || r == 0x85 || r == 0xa0 || r == 0x1680 ||
		(r >= 0x2000 && r <= 0x200a) || r == 0x2028 || r == 0x2029 || r == 0x202f || r == 0x205f || r == 0x3000
}

// numText strips white space, and turns decimal digits of any script into 0-9.
func numText(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool { return isSpace(r) && !(r >= 0x1c && r <= 0x1f) })
	return strings.Map(func(r rune) rune {
		if r < 128 || !unicode.Is(unicode.Nd, r) {
			return r
		}
		n := rune(0)
		for unicode.Is(unicode.Nd, r-n-1) {
			n++
		}
		return '0' + n%10
	}, s)
}

var numberPattern = regexp.MustCompile(`^[+-]?(?:[0-9]+(?:_[0-9]+)*(?:\.(?:[0-9]+(?:_[0-9]+)*)?)?|\.[0-9]+(?:_[0-9]+)*)(?:[eE][+-]?[0-9]+(?:_[0-9]+)*)?$`)

func parseNumber(s string) (float64, bool) {
	t := numText(s)
	w, sign := strings.ToLower(t), 1
	if strings.HasPrefix(w, "-") {
		w, sign = w[1:], -1
	} else if strings.HasPrefix(w, "+") {
		w = w[1:]
	}
	switch w {
	case "nan":
		return math.NaN(), true
	case "inf", "infinity":
		return math.Inf(sign), true
	}
	if !numberPattern.MatchString(t) {
		return 0, false
	}
	f, _ := strconv.ParseFloat(strings.ReplaceAll(t, "_", ""), 64)
	return f, true
}

func floatRepr(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	if e, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:]); e < -4 || e >= 16 {
		return s
	}
	s = strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
