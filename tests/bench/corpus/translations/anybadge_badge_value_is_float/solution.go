package main

import (
	"math"
	"math/big"
	"strings"
	"unicode"
)

func badgeHeld(b *big.Int) bool {
	d, _ := new(big.Float).SetInt(b).Float64()
	if math.IsInf(d, 0) {
		return false
	}
	back, _ := new(big.Float).SetFloat64(d).Int(nil)
	return back.Cmp(b) == 0
}

func badgeSpace(c rune) bool {
	return (c >= 9 && c <= 13) || c == 32 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
		(c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000
}

// badgeRun gives the position after a run of digits with single underscores between them.
func badgeRun(s []rune, start int) int {
	i := start
	for i < len(s) {
		if unicode.Is(unicode.Nd, s[i]) {
			i++
		} else if s[i] == '_' && i > start && i+1 < len(s) && unicode.Is(unicode.Nd, s[i-1]) && unicode.Is(unicode.Nd, s[i+1]) {
			i++
		} else {
			break
		}
	}
	return i
}

func badgeDigit(c rune) byte {
	n := 0
	for unicode.Is(unicode.Nd, c-rune(n)-1) {
		n++
	}
	return byte('0' + n%10)
}

func badgeText(value string) bool {
	s := []rune(strings.TrimFunc(value, badgeSpace))
	if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	ascii := true
	for _, c := range s {
		if c > 127 {
			ascii = false
		}
	}
	if ascii {
		switch strings.ToLower(string(s)) {
		case "inf", "infinity", "nan":
			return true
		}
	}
	i := badgeRun(s, 0)
	before := i > 0
	if before && i == len(s) {
		ds := []byte{}
		for _, c := range s {
			if c == '_' {
				continue
			}
			d := badgeDigit(c)
			if d == '0' && len(ds) == 0 {
				continue
			}
			ds = append(ds, d)
		}
		if len(ds) == 0 {
			return false
		}
		if len(ds) > 400 {
			return true
		}
		b, _ := new(big.Int).SetString(string(ds), 10)
		return !badgeHeld(b)
	}
	after := false
	if i < len(s) && s[i] == '.' {
		j := badgeRun(s, i+1)
		after = j > i+1
		i = j
	}
	if !before && !after {
		return false
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		j := badgeRun(s, i)
		if j == i {
			return false
		}
		i = j
	}
	return i == len(s)
}

func badge_value_is_float(value any) bool {
	switch v := value.(type) {
	case int:
		return !badgeHeld(big.NewInt(int64(v)))
	case int64:
		return !badgeHeld(big.NewInt(v))
	case *big.Int:
		if d, _ := new(big.Float).SetInt(v).Float64(); math.IsInf(d, 0) {
			panic("integer too large to convert to float")
		}
		return !badgeHeld(v)
	case float64:
		if math.IsNaN(v) {
			return true
		}
		if math.IsInf(v, 0) {
			panic("cannot convert float infinity to integer")
		}
		return v != math.Trunc(v)
	case string:
		return badgeText(v)
	}
	return false
}
