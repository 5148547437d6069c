# known names of cache types are put in lower case
KNOWN = {"adaptive", "readahead", "readahead_chunked", "bytes", "block", "blockcache",
         "mmap", "all", "first", "parts", "background", "none"}


def get_prefetcher_and_cache_config(cache_type=None):
    if cache_type is None:
        return ("adaptive", "default")
    if isinstance(cache_type, str) and cache_type.lower() in KNOWN:
        cache_type = cache_type.lower()
    return (cache_type, "explicit")
