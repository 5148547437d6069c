package main

import (
	"math/big"
	"reflect"
)

func falsy(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case bool:
		return !x
	case string:
		return x == ""
	case *big.Int:
		return x == nil || x.Sign() == 0
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.Int() == 0
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return r.Uint() == 0
	case reflect.Float32, reflect.Float64:
		return r.Float() == 0
	case reflect.Slice, reflect.Map, reflect.Array:
		return r.Len() == 0
	case reflect.Pointer, reflect.Interface:
		return r.IsNil()
	}
	return false
}

func get_stanza_processors(lang_code string, resources map[string]map[string]any) string {
	entry, ok := resources[lang_code]
	if ok && !falsy(entry["mwt"]) {
		return "tokenize,mwt"
	}
	return "tokenize"
}
