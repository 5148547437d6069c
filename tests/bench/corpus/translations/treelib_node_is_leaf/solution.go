package main

import (
	"math/big"
	"reflect"
)

func node_is_leaf(successors map[string]any, initial_tree_id *string, tree_id *string) bool {
	id := tree_id
	if id == nil {
		id = initial_tree_id
	}
	if id == nil {
		return true
	}
	x := successors[*id]
	switch v := x.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case int:
		return v == 0
	case int64:
		return v == 0
	case float64:
		return v == 0
	case *big.Int:
		return v.Sign() == 0
	}
	r := reflect.ValueOf(x)
	if r.Kind() == reflect.Slice || r.Kind() == reflect.Map {
		return r.Len() == 0
	}
	return false
}
