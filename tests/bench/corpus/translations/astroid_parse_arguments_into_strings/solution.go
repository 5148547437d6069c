package solution

import (
	"sort"
	"strings"
)

func parse_arguments_into_strings(pos_only_store map[string][]*string, kw_only_store map[string][]*string) []string {
	return []string{joinStore(pos_only_store), joinStore(kw_only_store)}
}

func joinStore(store map[string][]*string) string {
	names := make([]string, 0, len(store))
	for name := range store {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, name := range names {
		b.WriteString(name)
		pair := store[name]
		if pair[0] != nil && *pair[0] != "" {
			b.WriteString(": " + *pair[0])
		}
		if pair[1] != nil && *pair[1] != "" {
			b.WriteString(" = " + *pair[1])
		}
		b.WriteString(", ")
	}
	return b.String()
}
