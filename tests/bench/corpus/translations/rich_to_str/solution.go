package solution

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

func to_str(size int64, suffixes []string, base int64, precision *int64, separator *string) string {
	if size == 1 {
		return "1 byte"
	}
	if size < base {
		return commas(strconv.FormatInt(size, 10)) + " bytes"
	}
	if len(suffixes) == 0 {
		panic("no suffixes")
	}
	n, b := big.NewInt(size), big.NewInt(base)
	unit, suffix := big.NewInt(base), ""
	for _, suffix = range suffixes {
		unit.Mul(unit, b)
		if n.Cmp(unit) < 0 {
			break
		}
	}
	if unit.Sign() == 0 {
		panic("division by zero")
	}
	value, _ := new(big.Rat).SetFrac(new(big.Int).Mul(b, n), unit).Float64()
	if value == 0 && unit.Sign() < 0 {
		value = math.Copysign(0, -1)
	}
	digits, sep := 1, "None"
	if precision != nil {
		digits = int(*precision)
	}
	if separator != nil {
		sep = *separator
	}
	return commas(strconv.FormatFloat(value, 'f', digits, 64)) + sep + suffix
}

func commas(s string) string {
	end := strings.IndexByte(s, '.')
	if end < 0 {
		end = len(s)
	}
	start := 0
	if strings.HasPrefix(s, "-") {
		start = 1
	}
	out := s[end:]
	for end-start > 3 {
		out = "," + s[end-3:end] + out
		end -= 3
	}
	return s[:end] + out
}
