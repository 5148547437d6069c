# Wrong: tries the spelling given before the lower-case one; only the lower-case name is looked up.
def name_normalizer_normalize_name(aliases, name: str):
    if name in aliases:
        return aliases[name]
    name = name.lower()
    return aliases.get(name, name)
