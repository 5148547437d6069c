package values

import (
	"reflect"
	"slices"
	"sync"
)

var known sync.Map

type place struct {
	of   reflect.Type
	name string
}

// given holds the names by which the fields of structs came in the case at hand.
var given = map[place]string{}

// Forget forgets by which names fields came: a case is beginning.
func Forget() { clear(given) }

// writtenName is the name by which a field came, so that what a function was given goes back as it came; else its own.
func writtenName(of reflect.Type, field reflect.StructField) string {
	if name, ok := given[place{of, field.Name}]; ok {
		return name
	}
	return fieldName(field)
}

// fieldsOf gives the fields that a struct is read and written with: its own, and in place of an embedded struct without
// a tag those of that one, as encoding/json has them. Of two with one name the less deeply embedded is meant.
func fieldsOf(t reflect.Type) []reflect.StructField {
	if found, ok := known.Load(t); ok {
		return found.([]reflect.StructField)
	}
	all := promoted(t, nil, []reflect.Type{t})
	found := make([]reflect.StructField, 0, len(all))
	for _, field := range all {
		hidden := slices.ContainsFunc(all, func(other reflect.StructField) bool {
			return fieldName(other) == fieldName(field) && len(other.Index) < len(field.Index)
		})
		if !hidden {
			found = append(found, field)
		}
	}
	known.Store(t, found)
	return found
}

func promoted(t reflect.Type, index []int, within []reflect.Type) []reflect.StructField {
	var found []reflect.StructField
	for _, field := range declared(t) {
		field.Index = append(slices.Clone(index), field.Index...)
		embedded := field.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		if field.Anonymous && fieldName(field) == field.Name && isOpen(embedded) && !slices.Contains(within, embedded) {
			found = append(found, promoted(embedded, field.Index, append(slices.Clone(within), embedded))...)
		} else {
			found = append(found, field)
		}
	}
	return found
}

// isOpen tells whether a type is a struct by its fields, and no number or time.
func isOpen(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !slices.Contains([]reflect.Type{bigIntType, bigFloatType, bigRatType, timeType}, t)
}

func declared(t reflect.Type) []reflect.StructField {
	found := make([]reflect.StructField, t.NumField())
	for i := range found {
		found[i] = t.Field(i)
	}
	return found
}
