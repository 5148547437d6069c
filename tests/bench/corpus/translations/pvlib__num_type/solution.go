package main

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

const numTypeD = `\p{Nd}(?:_?\p{Nd})*`

var numTypeInt = regexp.MustCompile(`^[+-]?` + numTypeD + `$`)
var numTypeFloat = regexp.MustCompile(`^[+-]?(?:` + numTypeD + `\.(?:` + numTypeD + `)?|\.` + numTypeD + `)(?:[eE][+-]?` + numTypeD + `)?$`)

func numTypeSpace(r rune) bool {
	return (r >= 0x09 && r <= 0x0d) || (r >= 0x1c && r <= 0x20) || r == 0x85 || r == 0xa0 ||
		r == 0x1680 || (r >= 0x2000 && r <= 0x200a) || r == 0x2028 || r == 0x2029 ||
		r == 0x202f || r == 0x205f || r == 0x3000
}

func numTypeASCII(t string) string {
	var b strings.Builder
	for _, r := range t {
		if r == '_' {
			continue
		}
		if r > 127 && unicode.Is(unicode.Nd, r) {
			k := rune(0)
			for unicode.Is(unicode.Nd, r-k-1) {
				k++
			}
			b.WriteRune('0' + k%10)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func num_type(value string) any {
	t := strings.TrimFunc(value, numTypeSpace)
	if strings.Contains(value, ".") {
		if !numTypeFloat.MatchString(t) {
			return value
		}
		f, _ := strconv.ParseFloat(numTypeASCII(t), 64)
		return f
	}
	if !numTypeInt.MatchString(t) {
		return value
	}
	a := strings.TrimPrefix(numTypeASCII(t), "+")
	if len(strings.TrimPrefix(a, "-")) > 4300 {
		return value
	}
	n, ok := new(big.Int).SetString(a, 10)
	if !ok {
		return value
	}
	if n.IsInt64() {
		return int(n.Int64())
	}
	return n
}
