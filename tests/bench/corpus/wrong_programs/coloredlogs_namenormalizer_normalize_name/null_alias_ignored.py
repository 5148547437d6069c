# Wrong: takes an alias whose value is nothing for no alias and returns the name.
def name_normalizer_normalize_name(aliases, name: str):
    name = name.lower()
    alias = aliases.get(name)
    return name if alias is None else alias
