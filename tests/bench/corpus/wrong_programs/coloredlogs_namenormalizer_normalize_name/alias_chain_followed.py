# Wrong: looks the alias up again until nothing is found, where one look-up is meant.
def name_normalizer_normalize_name(aliases, name: str):
    name = name.lower()
    seen = set()
    while isinstance(name, str) and name in aliases and name not in seen:
        seen.add(name)
        name = aliases[name]
    return name
