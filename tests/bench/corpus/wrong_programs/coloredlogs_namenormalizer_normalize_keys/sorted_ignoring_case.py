# Wrong: reads the entries in alphabetical order without regard to case instead of by code point, so another entry wins when two keys meet.
def name_normalizer_normalize_keys(aliases, value):
    result = {}
    for key, item in sorted(value.items(), key=lambda pair: (pair[0].lower(), pair[0])):
        name = key.lower()
        if name in aliases:
            name = aliases[name]
        result[name] = item
    return result
