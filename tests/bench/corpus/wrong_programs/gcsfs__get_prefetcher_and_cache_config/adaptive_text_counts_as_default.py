# the source is found by comparing the outcome with the default type, so an explicit adaptive is called default
DEFAULT = "adaptive"


def get_prefetcher_and_cache_config(cache_type=None):
    effective = DEFAULT if cache_type is None else cache_type
    source = "default" if effective == DEFAULT else "explicit"
    return (effective, source)
