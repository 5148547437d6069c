package main

import (
	"math"
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

func isBlank(c rune) bool {
	return (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
		(c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000
}

var numberText = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

func ownKey(m map[string]any, k string) any {
	v, ok := m[k]
	if !ok {
		panic("missing key " + k)
	}
	return v
}

func toNumber(v any) float64 {
	switch x := v.(type) {
	case float64:
		return x
	case int:
		return float64(x)
	case int64:
		return float64(x)
	case *big.Int:
		f, _ := new(big.Float).SetInt(x).Float64()
		return f
	}
	panic("not a number")
}

func toFloat(v any) float64 {
	if b, ok := v.(bool); ok {
		if b {
			return 1
		}
		return 0
	}
	t, ok := v.(string)
	if !ok {
		return toNumber(v)
	}
	s := strings.TrimFunc(t, isBlank)
	if numberText.MatchString(s) {
		f, _ := strconv.ParseFloat(s, 64) // out of range gives an infinity
		return f
	}
	switch strings.ToLower(s) {
	case "inf", "+inf", "infinity", "+infinity":
		return math.Inf(1)
	case "-inf", "-infinity":
		return math.Inf(-1)
	case "nan", "+nan", "-nan":
		return math.NaN()
	}
	panic("not a number: " + s)
}

func sequence(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		panic("not a sequence")
	}
	out := make([]any, r.Len())
	for i := range out {
		out[i] = r.Index(i).Interface()
	}
	return out
}

func floats(v any) []float64 {
	out := []float64{}
	for _, e := range sequence(v) {
		out = append(out, toFloat(e))
	}
	return out
}

func turnPoint(a, b float64, q int) (float64, float64) {
	switch q {
	case 1:
		return b, -a
	case 2:
		return -a, -b
	case 3:
		return -b, a
	}
	return a, b
}

func turnBox(l, b, r, t float64, q int) (float64, float64, float64, float64) {
	x0, y0 := turnPoint(l, b, q)
	x1, y1 := turnPoint(r, t, q)
	if x1 < x0 {
		x0, x1 = x1, x0
	}
	if y1 < y0 {
		y0, y1 = y1, y0
	}
	return x0, y0, x1, y1
}

func getrects(inheritable map[string]any, pageinfo map[string]any, rotation int64) [][]float64 {
	media := floats(ownKey(inheritable, "MediaBox"))
	rawCrop := ownKey(inheritable, "CropBox")
	crop := append([]float64{}, media...)
	if rawCrop != nil && len(sequence(rawCrop)) > 0 {
		crop = floats(rawCrop)
	}
	view := ownKey(pageinfo, "viewrect")
	if view == nil {
		return [][]float64{media, crop}
	}
	vr := sequence(view)
	if len(vr) != 4 {
		panic("viewrect is not four numbers")
	}
	if len(crop) < 4 {
		panic("crop box of fewer than four numbers")
	}
	x, y, w, h := toNumber(vr[0]), toNumber(vr[1]), toNumber(vr[2]), toNumber(vr[3])
	q := int((rotation%4 + 4) % 4)
	L, B, R, T := turnBox(crop[0], crop[1], crop[2], crop[3], q)
	least := math.Min(math.Min(x, y), math.Min(w, h))
	most := math.Max(math.Max(x, y), math.Max(w, h))
	if least >= 0 && most <= 1 && least != most {
		// the conversions keep products from being fused with the sums below
		x = float64(x * (R - L))
		w = float64(w * (R - L))
		y = float64(y * (T - B))
		h = float64(h * (T - B))
	}
	left := L + x
	right := left + w
	top := T - y
	bottom := top - h
	l2, b2, r2, t2 := turnBox(math.Max(L, left), math.Max(B, bottom), math.Min(R, right), math.Min(T, top), (4-q)%4)
	return [][]float64{media, {l2, b2, r2, t2}}
}
