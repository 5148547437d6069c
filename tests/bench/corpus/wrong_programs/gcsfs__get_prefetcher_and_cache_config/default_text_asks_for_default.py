# the text default is taken as a wish for the default
def get_prefetcher_and_cache_config(cache_type=None):
    if cache_type is None or cache_type == "default":
        return ("adaptive", "default")
    return (cache_type, "explicit")
