# Wrong: does not let an aliased key replace an entry given under its own name; the later entry in key order should win.
def name_normalizer_normalize_keys(aliases, value):
    result = {}
    explicit = set()
    for key in sorted(value):
        lowered = key.lower()
        if lowered in aliases:
            target = aliases[lowered]
            if target in explicit:
                continue
            result[target] = value[key]
        else:
            explicit.add(lowered)
            result[lowered] = value[key]
    return result
