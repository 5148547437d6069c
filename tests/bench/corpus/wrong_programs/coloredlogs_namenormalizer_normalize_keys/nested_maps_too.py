# Wrong: normalises the keys of nested maps as well; only the keys of the map given are meant.
def name_normalizer_normalize_keys(aliases, value):
    def normalize_name(name):
        name = name.lower()
        return aliases.get(name, name)

    result = {}
    for key in sorted(value):
        item = value[key]
        if isinstance(item, dict):
            item = name_normalizer_normalize_keys(aliases, item)
        result[normalize_name(key)] = item
    return result
