package main

func get_prefetcher_and_cache_config(cache_type any) []any {
	if cache_type == nil {
		return []any{"adaptive", "default"}
	}
	return []any{cache_type, "explicit"}
}
