# the texts none and null are taken for nothing
UNSET = ("none", "null")


def get_prefetcher_and_cache_config(cache_type=None):
    if cache_type is None:
        return ("adaptive", "default")
    if isinstance(cache_type, str) and cache_type.lower() in UNSET:
        return ("adaptive", "default")
    return (cache_type, "explicit")
