package main

import (
	"fmt"
	"reflect"
)

func asInt(v any) (int64, bool) {
	switch x := v.(type) {
	case int:
		return int64(x), true
	case int64:
		return x, true
	case int32:
		return int64(x), true
	}
	return 0, false
}

func sameKey(a, b any) bool {
	i, ok := asInt(a)
	j, ok2 := asInt(b)
	if ok && ok2 {
		return i == j
	}
	if ok != ok2 {
		return false
	}
	s, ok := a.(string)
	t, ok2 := b.(string)
	return ok && ok2 && s == t
}

// entries gives the keys and values of any kind of map.
func entries(m any) ([]any, []any) {
	r := reflect.ValueOf(m)
	if r.Kind() != reflect.Map {
		panic("not a mapping")
	}
	keys, values := []any{}, []any{}
	it := r.MapRange()
	for it.Next() {
		keys = append(keys, it.Key().Interface())
		values = append(values, it.Value().Interface())
	}
	return keys, values
}

func lookUp(m any, k any) (any, bool) {
	if t, ok := m.(map[string]any); ok {
		s, isText := k.(string)
		if !isText {
			return nil, false
		}
		v, ok := t[s]
		return v, ok
	}
	keys, values := entries(m)
	for i, key := range keys {
		if sameKey(key, k) {
			return values[i], true
		}
	}
	return nil, false
}

func neighcom(node any, graph any, status map[string]map[string]any, weight_key string) map[any]int64 {
	var links any
	if r := reflect.ValueOf(graph); r.Kind() == reflect.Slice {
		at, ok := asInt(node)
		if !ok {
			panic("node is no position")
		}
		if at < 0 {
			at += int64(r.Len())
		}
		if at < 0 || at >= int64(r.Len()) {
			panic("node is not in graph")
		}
		links = r.Index(int(at)).Interface()
	} else {
		v, ok := lookUp(graph, node)
		if !ok {
			panic(fmt.Sprint("node is not in graph: ", node))
		}
		links = v
	}
	whole := map[any]int64{}
	broken := map[any]float64{}
	names, datas := entries(links)
	for i, name := range names {
		if sameKey(name, node) {
			continue
		}
		var w int64 = 1
		var f float64
		if raw, ok := lookUp(datas[i], weight_key); ok {
			if n, isInt := asInt(raw); isInt {
				w = n
			} else if b, isBool := raw.(bool); isBool {
				w = 0
				if b {
					w = 1
				}
			} else if x, isFloat := raw.(float64); isFloat {
				w, f = 0, x
			} else {
				panic("weight is not a number")
			}
		}
		n2c, ok := status["node2com"]
		if !ok || n2c == nil {
			panic("node2com is missing")
		}
		com, ok := lookUp(n2c, name)
		if !ok {
			panic(fmt.Sprint("no community: ", name))
		}
		whole[com] += w
		if f != 0 {
			broken[com] += f
		}
	}
	for com, f := range broken {
		whole[com] = int64(float64(whole[com]) + f)
	}
	return whole
}
