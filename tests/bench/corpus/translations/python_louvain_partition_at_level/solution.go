package main

func partition_at_level(dendrogram []map[string]any, level int64) map[string]any {
	out := make(map[string]any)
	for k, v := range dendrogram[0] {
		out[k] = v
	}
	if len(out) == 0 {
		return out
	}
	for i := int64(1); i <= level; i++ {
		if i >= int64(len(dendrogram)) {
			panic("level out of range")
		}
		m := dendrogram[i]
		for k, v := range out {
			s, ok := v.(string)
			if !ok {
				panic("missing key")
			}
			w, ok := m[s]
			if !ok {
				panic("missing key")
			}
			out[k] = w
		}
	}
	return out
}
