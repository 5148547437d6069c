function get_prefetcher_and_cache_config(cache_type = null) {
  if (cache_type === null || cache_type === undefined) return ["adaptive", "default"];
  return [cache_type, "explicit"];
}
