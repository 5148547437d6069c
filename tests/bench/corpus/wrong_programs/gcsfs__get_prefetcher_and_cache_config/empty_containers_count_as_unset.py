# an empty list or mapping is taken for not set
def get_prefetcher_and_cache_config(cache_type=None):
    if cache_type is None:
        return ("adaptive", "default")
    if isinstance(cache_type, (list, dict)) and len(cache_type) == 0:
        return ("adaptive", "default")
    return (cache_type, "explicit")
