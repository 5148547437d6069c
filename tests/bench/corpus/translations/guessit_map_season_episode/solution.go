package main

import (
	"math"
	"math/big"
	"strings"
	"unicode"
)

func map_season_episode(value any) any {
	list, ok := value.([]any)
	if !ok {
		return seasonConvert(value)
	}
	found := []any{}
	for _, e := range list {
		if n := seasonConvert(e); n != nil {
			found = append(found, n)
		}
	}
	switch len(found) {
	case 0:
		return nil
	case 1:
		return found[0]
	}
	return found
}

func seasonSmall(n *big.Int) any {
	if n.IsInt64() {
		return int(n.Int64())
	}
	return n
}

func seasonConvert(v any) any {
	switch x := v.(type) {
	case int:
		return x
	case int64:
		return int(x)
	case *big.Int:
		return x
	case float64:
		if math.IsNaN(x) {
			return nil
		}
		if math.IsInf(x, 0) {
			panic("overflow: an infinite number")
		}
		n, _ := big.NewFloat(x).Int(nil)
		return seasonSmall(n)
	case string:
		return seasonParse(x)
	}
	return nil
}

func seasonDigit(r rune) rune {
	start := r
	for unicode.IsDigit(start - 1) {
		start--
	}
	return (r - start) % 10
}

func seasonParse(s string) any {
	t := []rune(strings.TrimFunc(s, func(r rune) bool { return unicode.Is(unicode.White_Space, r) }))
	out := []rune{}
	if len(t) > 0 && (t[0] == '+' || t[0] == '-') {
		if t[0] == '-' {
			out = append(out, '-')
		}
		t = t[1:]
	}
	digitBefore := false
	for _, r := range t {
		if r == '_' {
			if !digitBefore {
				return nil
			}
			digitBefore = false
		} else if unicode.IsDigit(r) {
			out = append(out, '0'+seasonDigit(r))
			digitBefore = true
		} else {
			return nil
		}
	}
	if !digitBefore {
		return nil
	}
	n, ok := new(big.Int).SetString(string(out), 10)
	if !ok {
		return nil
	}
	return seasonSmall(n)
}
