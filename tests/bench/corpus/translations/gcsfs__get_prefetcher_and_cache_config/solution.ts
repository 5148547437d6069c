function get_prefetcher_and_cache_config(cache_type: boolean | number | unknown[] | object | string | null = null): [boolean | number | unknown[] | object | string, string] {
  if (cache_type === null || cache_type === undefined) return ["adaptive", "default"];
  return [cache_type, "explicit"];
}
