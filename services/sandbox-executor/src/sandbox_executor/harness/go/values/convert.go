package values

import (
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Convert makes the value of a parameter's type from a tree.
func Convert(tree any, to reflect.Type) (value reflect.Value, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			mismatch, ok := problem.(*Mismatch)
			if !ok {
				panic(problem)
			}
			err = mismatch
		}
	}()
	return convert(tree, to, "argument"), nil
}

func refuse(path, what string) { panic(&Mismatch{path, what}) }

func misfit(path string, tree any, to reflect.Type) {
	refuse(path, nameOf(tree)+" does not fit "+to.String())
}

func nameOf(tree any) string {
	switch node := tree.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case int64, *big.Int:
		return "an integer"
	case float64:
		return "a float"
	case string:
		return "a text"
	case Sequence:
		return "a sequence"
	case Set:
		return "a set"
	case Map:
		return "a map"
	case []byte:
		return "bytes"
	case Record:
		return "a record"
	case Opaque:
		return "a " + node.Kind
	}
	return "a value"
}

func convert(tree any, to reflect.Type, path string) reflect.Value {
	if to.Kind() == reflect.Interface {
		if tree == nil {
			return reflect.Zero(to)
		}
		natural := reflect.ValueOf(Natural(tree))
		if !natural.Type().AssignableTo(to) {
			misfit(path, tree, to)
		}
		return natural
	}
	if to == bigIntType {
		return reflect.ValueOf(*integerOf(tree, to, path))
	}
	if to.Kind() == reflect.Pointer {
		if tree == nil {
			return reflect.Zero(to)
		}
		if to.Elem() == bigIntType {
			return reflect.ValueOf(integerOf(tree, to, path))
		}
		target := reflect.New(to.Elem())
		target.Elem().Set(convert(tree, to.Elem(), path))
		return target
	}
	switch node := tree.(type) {
	case nil:
		switch to.Kind() {
		case reflect.Slice, reflect.Map:
			return reflect.Zero(to)
		}
	case bool:
		if to.Kind() == reflect.Bool {
			return reflect.ValueOf(node).Convert(to)
		}
	case int64:
		return number(node, to, path)
	case float64:
		return float(node, to, path)
	case string:
		return text(node, to, path)
	case Sequence:
		return sequence(node, tree, to, path)
	case Set:
		return set(node, to, path)
	case Map:
		return mapping(node, tree, to, path)
	case Record:
		return record(node, to, path)
	case []byte:
		if to.Kind() == reflect.Slice && to.Elem().Kind() == reflect.Uint8 {
			target := reflect.MakeSlice(to, len(node), len(node))
			reflect.Copy(target, reflect.ValueOf(node))
			return target
		}
		if to.Kind() == reflect.String {
			return reflect.ValueOf(string(node)).Convert(to)
		}
	case *big.Int:
		if node.IsInt64() {
			return number(node.Int64(), to, path)
		}
		if isUnsigned(to) && node.IsUint64() && !reflect.Zero(to).OverflowUint(node.Uint64()) {
			return reflect.ValueOf(node.Uint64()).Convert(to)
		}
		if isFloat(to) {
			approximate, _ := new(big.Float).SetInt(node).Float64()
			return reflect.ValueOf(approximate).Convert(to)
		}
		refuse(path, "the integer "+short(node.String())+" does not fit "+to.String())
	}
	misfit(path, tree, to)
	panic("unreachable")
}

func short(digits string) string {
	if len(digits) > 40 {
		return digits[:40] + "..."
	}
	return digits
}

func isFloat(t reflect.Type) bool {
	return t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64
}

func isUnsigned(t reflect.Type) bool {
	return t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uintptr
}

func isSigned(t reflect.Type) bool {
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64
}

func integerOf(tree any, to reflect.Type, path string) *big.Int {
	switch node := tree.(type) {
	case int64:
		return big.NewInt(node)
	case *big.Int:
		return new(big.Int).Set(node)
	}
	misfit(path, tree, to)
	panic("unreachable")
}

func number(node int64, to reflect.Type, path string) reflect.Value {
	switch {
	case isSigned(to):
		if !reflect.Zero(to).OverflowInt(node) {
			return reflect.ValueOf(node).Convert(to)
		}
	case isUnsigned(to):
		if node >= 0 && !reflect.Zero(to).OverflowUint(uint64(node)) {
			return reflect.ValueOf(node).Convert(to)
		}
	case isFloat(to):
		return reflect.ValueOf(float64(node)).Convert(to)
	case to.Kind() == reflect.Complex128:
		return reflect.ValueOf(complex(float64(node), 0)).Convert(to)
	default:
		misfit(path, node, to)
	}
	refuse(path, "the integer "+strconv.FormatInt(node, 10)+" does not fit "+to.String())
	panic("unreachable")
}

func float(node float64, to reflect.Type, path string) reflect.Value {
	if isFloat(to) {
		return reflect.ValueOf(node).Convert(to)
	}
	// In the portable comparison 3.0 is 3, so a whole number may go where an integer is wanted.
	if (isSigned(to) || isUnsigned(to)) && node == math.Trunc(node) && math.Abs(node) <= maxPlainInt {
		return number(int64(node), to, path)
	}
	misfit(path, node, to)
	panic("unreachable")
}

func text(node string, to reflect.Type, path string) reflect.Value {
	if to.Kind() == reflect.String {
		return reflect.ValueOf(node).Convert(to)
	}
	// One character where a rune or a byte is wanted.
	if char, size := utf8.DecodeRuneInString(node); size == len(node) && size > 0 {
		if to.Kind() == reflect.Int32 || to.Kind() == reflect.Uint8 && char < utf8.RuneSelf {
			return reflect.ValueOf(char).Convert(to)
		}
	}
	misfit(path, node, to)
	panic("unreachable")
}

func sequence(items []any, tree any, to reflect.Type, path string) reflect.Value {
	switch to.Kind() {
	case reflect.Slice:
		target := reflect.MakeSlice(to, len(items), len(items))
		for i, item := range items {
			target.Index(i).Set(convert(item, to.Elem(), step(path, i)))
		}
		return target
	case reflect.Array:
		if to.Len() != len(items) {
			refuse(path, "a sequence of "+strconv.Itoa(len(items))+" does not fit "+to.String())
		}
		target := reflect.New(to).Elem()
		for i, item := range items {
			target.Index(i).Set(convert(item, to.Elem(), step(path, i)))
		}
		return target
	case reflect.Struct:
		// A tuple where a struct is wanted: by position, of the fields that it is written with or of those it declares.
		fields := fieldsOf(to)
		if len(fields) != len(items) {
			fields = declared(to)
		}
		if len(fields) == len(items) {
			target := reflect.New(to).Elem()
			for i, item := range items {
				assign(target, fields[i], item, path)
			}
			return target
		}
	case reflect.Map:
		if isEmptyStruct(to.Elem()) {
			return set(items, to, path)
		}
	}
	misfit(path, tree, to)
	panic("unreachable")
}

func isEmptyStruct(t reflect.Type) bool { return t.Kind() == reflect.Struct && t.NumField() == 0 }

func set(node Set, to reflect.Type, path string) reflect.Value {
	if to.Kind() != reflect.Map {
		return sequence(node, node, to, path)
	}
	present := reflect.Zero(to.Elem())
	if to.Elem().Kind() == reflect.Bool {
		present = reflect.ValueOf(true).Convert(to.Elem())
	} else if !isEmptyStruct(to.Elem()) {
		misfit(path, node, to)
	}
	target := reflect.MakeMapWithSize(to, len(node))
	for i, item := range node {
		target.SetMapIndex(key(item, to.Key(), step(path, i)), present)
	}
	return target
}

// key is convert for what must be hashable.
func key(tree any, to reflect.Type, path string) reflect.Value {
	if to.Kind() == reflect.Interface && to.NumMethod() == 0 && tree != nil {
		return reflect.ValueOf(naturalKey(tree))
	}
	value := convert(tree, to, path)
	if !value.Comparable() {
		refuse(path, nameOf(tree)+" cannot be a key in Go")
	}
	return value
}

func mapping(pairs []Pair, tree any, to reflect.Type, path string) reflect.Value {
	switch to.Kind() {
	case reflect.Map:
		target := reflect.MakeMapWithSize(to, len(pairs))
		for _, pair := range pairs {
			target.SetMapIndex(key(pair.Key, to.Key(), path+".key"), convert(pair.Value, to.Elem(), path+".value"))
		}
		return target
	case reflect.Struct:
		fields := make([]Field, 0, len(pairs))
		for _, pair := range pairs {
			name, ok := pair.Key.(string)
			if !ok {
				misfit(path, tree, to)
			}
			fields = append(fields, Field{name, pair.Value})
		}
		return structure(fields, to, path)
	}
	misfit(path, tree, to)
	panic("unreachable")
}

func record(node Record, to reflect.Type, path string) reflect.Value {
	switch to.Kind() {
	case reflect.Struct:
		return structure(node, to, path)
	case reflect.Map:
		pairs := make([]Pair, len(node))
		for i, field := range node {
			pairs[i] = Pair{field.Name, field.Value}
		}
		return mapping(pairs, node, to, path)
	case reflect.Slice, reflect.Array:
		// A named tuple where a sequence is wanted.
		items := make([]any, len(node))
		for i, field := range node {
			items[i] = field.Value
		}
		return sequence(items, node, to, path)
	}
	misfit(path, node, to)
	panic("unreachable")
}

func plainName(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// structure gives each field what has its name: exactly that of its tag, else exactly its own, else one of the two that
// differs in case and underscores only.
func structure(pairs []Field, to reflect.Type, path string) reflect.Value {
	target := reflect.New(to).Elem()
	fields, taken := fieldsOf(to), make(map[int]bool, len(pairs))
	for _, like := range []func(field reflect.StructField, name string) bool{
		func(field reflect.StructField, name string) bool { return fieldName(field) == name },
		func(field reflect.StructField, name string) bool { return field.Name == name },
		func(field reflect.StructField, name string) bool {
			return plainName(fieldName(field)) == plainName(name) || plainName(field.Name) == plainName(name)
		},
	} {
		var left []Field
		for _, one := range pairs {
			var found []int
			for i, field := range fields {
				if !taken[i] && like(field, one.Name) {
					found = append(found, i)
				}
			}
			switch len(found) {
			case 0:
				left = append(left, one)
			case 1:
				taken[found[0]] = true
				given[place{to, fields[found[0]].Name}] = one.Name
				assign(target, fields[found[0]], one.Value, path+"."+one.Name)
			default:
				refuse(path, one.Name+" may be "+fields[found[0]].Name+" or "+fields[found[1]].Name+" of "+to.String())
			}
		}
		pairs = left
	}
	if len(pairs) > 0 {
		refuse(path, to.String()+" has no field "+pairs[0].Name)
	}
	return target
}

// assign sets a field of a struct that is ours and new: only its author could not write it from another package. The
// embedded structs on the way to it are made.
func assign(target reflect.Value, field reflect.StructField, tree any, path string) {
	for _, i := range field.Index {
		if target.Kind() == reflect.Pointer {
			if target.IsNil() {
				target.Set(reflect.New(target.Type().Elem()))
			}
			target = target.Elem()
		}
		target = target.Field(i)
		target = reflect.NewAt(target.Type(), target.Addr().UnsafePointer()).Elem()
	}
	target.Set(convert(tree, field.Type, path))
}

// Natural gives the value that a Go program would hold where it says nothing about the type.
func Natural(tree any) any {
	switch node := tree.(type) {
	case int64:
		return int(node)
	case *big.Int:
		if node.IsInt64() {
			return int(node.Int64())
		}
	case Sequence:
		return naturalItems(node)
	case Set:
		found := make(map[any]struct{}, len(node))
		for _, item := range node {
			found[naturalKey(item)] = struct{}{}
		}
		return found
	case []byte:
		return append([]byte{}, node...)
	case Map:
		return naturalMap(node)
	case Record:
		found := make(map[string]any, len(node))
		for _, field := range node {
			found[field.Name] = Natural(field.Value)
		}
		return found
	}
	return tree
}

func naturalItems(items []any) []any {
	found := make([]any, len(items))
	for i, item := range items {
		found[i] = Natural(item)
	}
	return found
}

func naturalMap(pairs []Pair) any {
	texts := make(map[string]any, len(pairs))
	for _, pair := range pairs {
		name, ok := pair.Key.(string)
		if !ok {
			return mixedMap(pairs)
		}
		texts[name] = Natural(pair.Value)
	}
	return texts
}

func mixedMap(pairs []Pair) any {
	found := make(map[any]any, len(pairs))
	for _, pair := range pairs {
		found[naturalKey(pair.Key)] = Natural(pair.Value)
	}
	return found
}

// naturalKey is Natural for what must be hashable: a tuple becomes an array, which Go can compare.
func naturalKey(tree any) any {
	switch node := tree.(type) {
	case Sequence:
		array := reflect.New(reflect.ArrayOf(len(node), reflect.TypeFor[any]())).Elem()
		for i, item := range node {
			array.Index(i).Set(convert(item, reflect.TypeFor[any](), "argument.key"))
			if nested, ok := item.(Sequence); ok {
				array.Index(i).Set(reflect.ValueOf(naturalKey(nested)))
			}
		}
		return array.Interface()
	case *big.Int:
		if node.IsInt64() {
			return int(node.Int64())
		}
		// Two pointers to equal numbers would be two keys.
		refuse("argument.key", "an integer beyond 64 bits cannot be a key in Go")
	}
	natural := Natural(tree)
	if natural != nil && !reflect.ValueOf(natural).Comparable() {
		refuse("argument.key", nameOf(tree)+" cannot be a key in Go")
	}
	return natural
}
