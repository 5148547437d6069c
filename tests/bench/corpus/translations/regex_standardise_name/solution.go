package solution

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

func standardise_name(name string) string {
	if rational, ok := numericToRational(name); ok {
		return rational
	}
	var b strings.Builder
	for _, part := range name {
		if !strings.ContainsRune("_- ", part) {
			b.WriteRune(part)
		}
	}
	var out strings.Builder
	for _, r := range b.String() {
		if u, ok := upperTable[r]; ok {
			out.WriteString(u)
		} else {
			out.WriteRune(unicode.ToUpper(r))
		}
	}
	return out.String()
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

func numericToRational(text string) (string, bool) {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	parts := strings.Split(text, "/")
	if len(parts) > 2 {
		return "", false
	}
	value, ok := parseNumber(parts[0])
	if !ok {
		return "", false
	}
	if len(parts) == 2 {
		d, ok := parseNumber(parts[1])
		if !ok || d == 0 {
			return "", false
		}
		value /= d
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return "", false
	}
	num, den := floatToRational(value)
	return strings.TrimSuffix(sign+num.String()+"/"+den.String(), "/1"), true
}

func floatToRational(flt float64) (*big.Int, *big.Int) {
	var parts []*big.Int
	for x := flt; ; {
		whole := math.Trunc(x)
		n, _ := big.NewFloat(whole).Int(nil)
		parts = append(parts, n)
		e := x - whole
		if math.Abs(e) < 0.0001 {
			break
		}
		if len(parts) > 990 {
			panic("no rational found")
		}
		x = 1 / e
	}
	num, den := parts[len(parts)-1], big.NewInt(1)
	for i := len(parts) - 2; i >= 0; i-- {
		next := new(big.Int).Mul(parts[i], num)
		num, den = next.Add(next, den), num
	}
	return num, den
}

// Letters whose upper case is several letters.
var upperTable = map[rune]string{
	'\u00df': "\u0053\u0053", '\u0149': "\u02bc\u004e", '\u01f0': "\u004a\u030c", '\u0390': "\u0399\u0308\u0301",
	'\u03b0': "\u03a5\u0308\u0301", '\u0587': "\u0535\u0552", '\u1e96': "\u0048\u0331", '\u1e97': "\u0054\u0308",
	'\u1e98': "\u0057\u030a", '\u1e99': "\u0059\u030a", '\u1e9a': "\u0041\u02be", '\u1f50': "\u03a5\u0313",
	'\u1f52': "\u03a5\u0313\u0300", '\u1f54': "\u03a5\u0313\u0301", '\u1f56': "\u03a5\u0313\u0342", '\u1f80': "\u1f08\u0399",
	'\u1f81': "\u1f09\u0399", '\u1f82': "\u1f0a\u0399", '\u1f83': "\u1f0b\u0399", '\u1f84': "\u1f0c\u0399",
	'\u1f85': "\u1f0d\u0399", '\u1f86': "\u1f0e\u0399", '\u1f87': "\u1f0f\u0399", '\u1f88': "\u1f08\u0399",
	'\u1f89': "\u1f09\u0399", '\u1f8a': "\u1f0a\u0399", '\u1f8b': "\u1f0b\u0399", '\u1f8c': "\u1f0c\u0399",
	'\u1f8d': "\u1f0d\u0399", '\u1f8e': "\u1f0e\u0399", '\u1f8f': "\u1f0f\u0399", '\u1f90': "\u1f28\u0399",
	'\u1f91': "\u1f29\u0399", '\u1f92': "\u1f2a\u0399", '\u1f93': "\u1f2b\u0399", '\u1f94': "\u1f2c\u0399",
	'\u1f95': "\u1f2d\u0399", '\u1f96': "\u1f2e\u0399", '\u1f97': "\u1f2f\u0399", '\u1f98': "\u1f28\u0399",
	'\u1f99': "\u1f29\u0399", '\u1f9a': "\u1f2a\u0399", '\u1f9b': "\u1f2b\u0399", '\u1f9c': "\u1f2c\u0399",
	'\u1f9d': "\u1f2d\u0399", '\u1f9e': "\u1f2e\u0399", '\u1f9f': "\u1f2f\u0399", '\u1fa0': "\u1f68\u0399",
	'\u1fa1': "\u1f69\u0399", '\u1fa2': "\u1f6a\u0399", '\u1fa3': "\u1f6b\u0399", '\u1fa4': "\u1f6c\u0399",
	'\u1fa5': "\u1f6d\u0399", '\u1fa6': "\u1f6e\u0399", '\u1fa7': "\u1f6f\u0399", '\u1fa8': "\u1f68\u0399",
	'\u1fa9': "\u1f69\u0399", '\u1faa': "\u1f6a\u0399", '\u1fab': "\u1f6b\u0399", '\u1fac': "\u1f6c\u0399",
	'\u1fad': "\u1f6d\u0399", '\u1fae': "\u1f6e\u0399", '\u1faf': "\u1f6f\u0399", '\u1fb2': "\u1fba\u0399",
	'\u1fb3': "\u0391\u0399", '\u1fb4': "\u0386\u0399", '\u1fb6': "\u0391\u0342", '\u1fb7': "\u0391\u0342\u0399",
	'\u1fbc': "\u0391\u0399", '\u1fc2': "\u1fca\u0399", '\u1fc3': "\u0397\u0399", '\u1fc4': "\u0389\u0399",
	'\u1fc6': "\u0397\u0342", '\u1fc7': "\u0397\u0342\u0399", '\u1fcc': "\u0397\u0399", '\u1fd2': "\u0399\u0308\u0300",
	'\u1fd3': "\u0399\u0308\u0301", '\u1fd6': "\u0399\u0342", '\u1fd7': "\u0399\u0308\u0342", '\u1fe2': "\u03a5\u0308\u0300",
	'\u1fe3': "\u03a5\u0308\u0301", '\u1fe4': "\u03a1\u0313", '\u1fe6': "\u03a5\u0342", '\u1fe7': "\u03a5\u0308\u0342",
	'\u1ff2': "\u1ffa\u0399", '\u1ff3': "\u03a9\u0399", '\u1ff4': "\u038f\u0399", '\u1ff6': "\u03a9\u0342",
	'\u1ff7': "\u03a9\u0342\u0399", '\u1ffc': "\u03a9\u0399", '\ufb00': "\u0046\u0046", '\ufb01': "\u0046\u0049",
	'\ufb02': "\u0046\u004c", '\ufb03': "\u0046\u0046\u0049", '\ufb04': "\u0046\u0046\u004c", '\ufb05': "\u0053\u0054",
	'\ufb06': "\u0053\u0054", '\ufb13': "\u0544\u0546", '\ufb14': "\u0544\u0535", '\ufb15': "\u0544\u053b",
	'\ufb16': "\u054e\u0546", '\ufb17': "\u0544\u053d",
}
