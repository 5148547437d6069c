package solution

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

func optional_int(val any) *int64 {
	var n int64
	switch x := val.(type) {
	case nil:
		return nil
	case int64:
		n = x
	case int:
		n = int64(x)
	case float64:
		n = int64(x)
	case *big.Int:
		n = x.Int64()
	case bool:
		if x {
			n = 1
		}
	case string:
		t := numText(x)
		if strings.EqualFold(t, "none") {
			return nil
		}
		if !integerPattern.MatchString(t) {
			panic("not an integer: " + x)
		}
		i, err := strconv.ParseInt(strings.ReplaceAll(t, "_", ""), 10, 64)
		if err != nil {
			panic(err)
		}
		n = i
	default:
		panic("not an integer")
	}
	return &n
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

var integerPattern = regexp.MustCompile(`^[+-]?[0-9]+(?:_[0-9]+)*$`)
