package main

import (
	"math/big"
	"reflect"
)

func matcherTruthy(x any) bool {
	switch v := x.(type) {
	case nil:
		return false
	case bool:
		return v
	case int:
		return v != 0
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case *big.Int:
		return v.Sign() != 0
	}
	r := reflect.ValueOf(x)
	if r.Kind() == reflect.Slice || r.Kind() == reflect.Map {
		return r.Len() > 0
	}
	return true
}

func matcherList(l [][]any) []any {
	out := make([]any, 0, len(l)+1)
	for _, e := range l {
		if e == nil {
			e = []any{}
		}
		out = append(out, e)
	}
	return out
}

func matcherMap(m map[string][][]any) map[string]any {
	out := make(map[string]any, len(m)+1)
	for k, l := range m {
		out[k] = matcherList(l)
	}
	return out
}

func matcherAdd(m map[string]any, key any, entry []any) any {
	if s, ok := key.(string); ok {
		var l []any
		if old, ok := m[s]; ok {
			l = old.([]any)
		}
		m[s] = append(l, entry)
		return m
	}
	out := make(map[any]any, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	out[key] = []any{entry}
	return out
}

func matcher_add_selector(id_selectors map[string][][]any, class_selectors map[string][][]any, lower_local_name_selectors map[string][][]any, namespace_selectors map[string][][]any, lang_attr_selectors [][]any, other_selectors [][]any, order float64, selector map[string]any, payload any) map[string]any {
	ids := matcherMap(id_selectors)
	classes := matcherMap(class_selectors)
	names := matcherMap(lower_local_name_selectors)
	namespaces := matcherMap(namespace_selectors)
	langs := matcherList(lang_attr_selectors)
	others := matcherList(other_selectors)
	order++
	result := map[string]any{
		"id_selectors":               ids,
		"class_selectors":            classes,
		"lower_local_name_selectors": names,
		"namespace_selectors":        namespaces,
		"lang_attr_selectors":        langs,
		"other_selectors":            others,
		"order":                      order,
	}
	if matcherTruthy(selector["never_matches"]) {
		return result
	}
	entry := []any{selector["test"], selector["specificity"], order, selector["pseudo_element"], payload}
	if selector["id"] != nil {
		result["id_selectors"] = matcherAdd(ids, selector["id"], entry)
	} else if selector["class_name"] != nil {
		result["class_selectors"] = matcherAdd(classes, selector["class_name"], entry)
	} else if selector["local_name"] != nil {
		result["lower_local_name_selectors"] = matcherAdd(names, selector["lower_local_name"], entry)
	} else if selector["namespace"] != nil {
		result["namespace_selectors"] = matcherAdd(namespaces, selector["namespace"], entry)
	} else if matcherTruthy(selector["requires_lang_attr"]) {
		result["lang_attr_selectors"] = append(langs, entry)
	} else {
		result["other_selectors"] = append(others, entry)
	}
	return result
}
