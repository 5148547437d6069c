# false is taken for not set
def get_prefetcher_and_cache_config(cache_type=None):
    if cache_type is None or cache_type is False:
        return ("adaptive", "default")
    return (cache_type, "explicit")
