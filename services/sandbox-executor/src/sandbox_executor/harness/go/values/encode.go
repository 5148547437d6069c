package values

import (
	"encoding/base64"
	"math"
	"math/big"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

var (
	bigIntType   = reflect.TypeOf(big.Int{})
	bigFloatType = reflect.TypeOf(big.Float{})
	bigRatType   = reflect.TypeOf(big.Rat{})
	timeType     = reflect.TypeOf(time.Time{})
	tupleType    = reflect.TypeFor[Tuple]()

	intBound = new(big.Int).Exp(big.NewInt(10), big.NewInt(maxIntDigits), nil)
)

type writer struct {
	out   []byte
	nodes int
}

// Encode writes a value as one JSON text in the portable form.
func Encode(value any) (text string, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			unportable, ok := problem.(*Unportable)
			if !ok {
				panic(problem)
			}
			text, err = "", unportable
		}
	}()
	w := &writer{}
	w.value(reflect.ValueOf(value), "$", 1)
	return string(w.out), nil
}

func fail(path, what string) { panic(&Unportable{path, what}) }

func (w *writer) raw(text string) { w.out = append(w.out, text...) }

func (w *writer) enter(children int, path string, depth int) {
	if depth > maxDepth {
		fail(path, "nesting deeper than "+strconv.Itoa(maxDepth))
	}
	w.nodes += children
	if w.nodes > maxNodes {
		fail(path, "a tree of more than "+strconv.Itoa(maxNodes)+" values")
	}
}

func (w *writer) value(v reflect.Value, path string, depth int) {
	switch v.Kind() {
	case reflect.Invalid:
		w.raw("null")
	case reflect.Bool:
		w.out = strconv.AppendBool(w.out, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.integer(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if v.Uint() <= maxPlainInt {
			w.out = strconv.AppendUint(w.out, v.Uint(), 10)
		} else {
			w.raw(`{"$":"int","v":"` + strconv.FormatUint(v.Uint(), 10) + `"}`)
		}
	case reflect.Float32:
		// The shortest text of the 32-bit number, as other languages would have written it.
		short, _ := strconv.ParseFloat(strconv.FormatFloat(v.Float(), 'g', -1, 32), 64)
		w.float(short)
	case reflect.Float64:
		w.float(v.Float())
	case reflect.Complex64, reflect.Complex128:
		w.raw(`{"$":"complex","v":[`)
		w.float(real(v.Complex()))
		w.raw(",")
		w.float(imag(v.Complex()))
		w.raw("]}")
	case reflect.String:
		w.text(v.String())
	case reflect.Interface:
		w.value(v.Elem(), path, depth)
	case reflect.Pointer:
		if v.IsNil() {
			w.raw("null")
			return
		}
		// Pointers add no level of their own, so that a cycle of them must be stopped here.
		w.enter(1, path, depth)
		w.value(v.Elem(), path, depth)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			w.raw(`{"$":"bytes","v":"` + base64.StdEncoding.EncodeToString(v.Bytes()) + `"}`)
			return
		}
		if v.Type() == tupleType {
			w.raw(`{"$":"tuple","v":`)
			w.list(v, path, depth)
			w.raw("}")
			return
		}
		w.list(v, path, depth)
	case reflect.Array:
		w.list(v, path, depth)
	case reflect.Map:
		w.mapping(v, path, depth)
	case reflect.Struct:
		w.structure(v, path, depth)
	default:
		fail(path, "a "+v.Kind().String())
	}
}

func (w *writer) integer(value int64) {
	if value < -maxPlainInt || value > maxPlainInt {
		w.raw(`{"$":"int","v":"` + strconv.FormatInt(value, 10) + `"}`)
		return
	}
	w.out = strconv.AppendInt(w.out, value, 10)
}

func (w *writer) float(value float64) {
	switch {
	case math.IsNaN(value):
		w.raw(`{"$":"float","v":"nan"}`)
	case math.IsInf(value, 1):
		w.raw(`{"$":"float","v":"inf"}`)
	case math.IsInf(value, -1):
		w.raw(`{"$":"float","v":"-inf"}`)
	default:
		digits := strconv.FormatFloat(value, 'g', -1, 64)
		w.raw(digits)
		if !strings.ContainsAny(digits, ".e") {
			w.raw(".0")
		}
	}
}

// isSurrogate tells whether the three bytes are a surrogate written as if it were a character.
func isSurrogate(text string, at int) bool {
	return at+2 < len(text) && text[at] == 0xED && text[at+1] >= 0xA0 && text[at+1] <= 0xBF && text[at+2]&0xC0 == 0x80
}

func (w *writer) text(text string) {
	if strings.Contains(text, "\xED") {
		for i := range text {
			if isSurrogate(text, i) {
				w.units(text)
				return
			}
		}
	}
	if !utf8.ValidString(text) {
		// What is no UTF-8 is no text: replaced by a mark it could meet what it is not.
		w.raw(`{"$":"bytes","v":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"}`)
		return
	}
	const digits = "0123456789abcdef"
	w.out = append(w.out, '"')
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		w.raw(text[start:i])
		if c == '"' || c == '\\' {
			w.out = append(w.out, '\\', c)
		} else {
			w.out = append(w.out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
		i++
		start = i
	}
	w.raw(text[start:])
	w.out = append(w.out, '"')
}

func (w *writer) units(text string) {
	w.raw(`{"$":"str","v":[`)
	comma := ""
	unit := func(value rune) {
		w.raw(comma + strconv.Itoa(int(value)))
		comma = ","
	}
	for i := 0; i < len(text); {
		if isSurrogate(text, i) {
			unit(rune(text[i]&0x0F)<<12 | rune(text[i+1]&0x3F)<<6 | rune(text[i+2]&0x3F))
			i += 3
			continue
		}
		char, size := utf8.DecodeRuneInString(text[i:])
		if char > 0xFFFF {
			unit(0xD800 + (char-0x10000)>>10)
			unit(0xDC00 + (char-0x10000)&0x3FF)
		} else {
			unit(char)
		}
		i += size
	}
	w.raw("]}")
}

func (w *writer) list(v reflect.Value, path string, depth int) {
	w.enter(v.Len(), path, depth)
	w.raw("[")
	for i := range v.Len() {
		if i > 0 {
			w.raw(",")
		}
		w.value(v.Index(i), step(path, i), depth+1)
	}
	w.raw("]")
}

func step(path string, index int) string {
	if len(path) > 400 {
		return path
	}
	return path + "[" + strconv.Itoa(index) + "]"
}

type entry struct {
	key   string
	value reflect.Value
}

func (w *writer) mapping(v reflect.Value, path string, depth int) {
	w.enter(v.Len(), path, depth)
	entries := make([]entry, 0, v.Len())
	plain := true
	for iterator := v.MapRange(); iterator.Next(); {
		key := &writer{}
		key.value(iterator.Key(), path+".key", depth+1)
		text := string(key.out)
		plain = plain && strings.HasPrefix(text, `"`) && text != `"$"`
		entries = append(entries, entry{text, iterator.Value()})
	}
	// Go's own order is drawn anew for each loop.
	sort.Slice(entries, func(i, j int) bool { return entries[i].key < entries[j].key })
	for i := 1; i < len(entries); i++ {
		// Keys of different types may be one text.
		plain = plain && entries[i].key != entries[i-1].key
	}
	isSet := v.Type().Elem().Kind() == reflect.Struct && v.Type().Elem().NumField() == 0
	switch {
	case isSet:
		w.raw(`{"$":"set","v":[`)
	case plain:
		w.raw("{")
	default:
		w.raw(`{"$":"map","v":[`)
	}
	for i, entry := range entries {
		if i > 0 {
			w.raw(",")
		}
		switch {
		case isSet:
			w.raw(entry.key)
		case plain:
			w.raw(entry.key + ":")
			w.value(entry.value, path+"."+entry.key, depth+1)
		default:
			w.raw("[" + entry.key + ",")
			w.value(entry.value, path+".value", depth+1)
			w.raw("]")
		}
	}
	if plain && !isSet {
		w.raw("}")
	} else {
		w.raw("]}")
	}
}

func (w *writer) structure(v reflect.Value, path string, depth int) {
	if v.CanInterface() {
		switch tree := v.Interface().(type) {
		case Opaque:
			w.raw(tree.Text)
			return
		case big.Int:
			w.big(&tree, path)
			return
		case big.Rat:
			w.raw(`{"$":"fraction","v":["` + digits(tree.Num(), path) + `","` + digits(tree.Denom(), path) + `"]}`)
			return
		case big.Float:
			number, _ := tree.Float64()
			w.float(number)
			return
		case time.Time:
			w.moment(tree, path)
			return
		}
	} else if t := v.Type(); t == bigIntType || t == bigFloatType || t == bigRatType || t == timeType {
		fail(path, "a hidden field of type "+t.String())
	}
	t := v.Type()
	name := t.Name()
	if name == "" {
		name = "struct"
	}
	if at := strings.IndexByte(name, '['); at > 0 {
		name = name[:at]
	}
	fields := fieldsOf(t)
	w.enter(len(fields), path, depth)
	names := map[string]bool{}
	for _, one := range fields {
		field := writtenName(t, one)
		if names[field] || !isName(field) {
			fail(path, "a "+name+" whose field "+one.Name+" has a repeated, overlong or unprintable name")
		}
		names[field] = true
	}
	if !isName(name) {
		fail(path, "a record with a name of more than "+strconv.Itoa(maxName)+" characters")
	}
	w.raw(`{"$":"record","name":`)
	w.text(name)
	w.raw(`,"fields":[`)
	comma := ""
	for _, one := range fields {
		value, err := v.FieldByIndexErr(one.Index)
		if err != nil {
			// An embedded struct that is not there has no fields.
			continue
		}
		w.raw(comma + "[")
		comma = ","
		w.text(writtenName(t, one))
		w.raw(",")
		w.value(value, path+"."+one.Name, depth+1)
		w.raw("]")
	}
	w.raw("]}")
}

// isName tells whether a record, or a field of one, may have this name.
func isName(name string) bool {
	control := strings.IndexFunc(name, func(char rune) bool { return char < 0x20 })
	return name != "" && utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxName && control < 0
}

// fieldName is the name that the field has elsewhere: what its json tag says, or its own.
func fieldName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "" || name == "-" {
		return field.Name
	}
	return name
}

// digits is the decimal text of an integer that is not too large for one.
func digits(value *big.Int, path string) string {
	if value.CmpAbs(intBound) >= 0 {
		fail(path, "an integer of more than "+strconv.Itoa(maxIntDigits)+" digits")
	}
	return value.String()
}

func (w *writer) big(value *big.Int, path string) {
	if value.IsInt64() {
		w.integer(value.Int64())
		return
	}
	w.raw(`{"$":"int","v":"` + digits(value, path) + `"}`)
}

func (w *writer) moment(value time.Time, path string) {
	if value.Year() < 0 || value.Year() > 9999 {
		fail(path, "a time outside of the years 0 to 9999")
	}
	w.raw(`{"$":"datetime","v":"` + value.Truncate(time.Microsecond).Format("2006-01-02T15:04:05.999999-07:00") + `","zone":null,"fold":0}`)
}
