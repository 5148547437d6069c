# Wrong: follows aliases of aliases to the end, where one look-up is meant.
def name_normalizer_normalize_keys(aliases, value):
    def normalize_name(name):
        name = name.lower()
        seen = set()
        while isinstance(name, str) and name in aliases and name not in seen:
            seen.add(name)
            name = aliases[name]
        return name

    return {normalize_name(key): value[key] for key in sorted(value)}
