# Wrong: writes a capital I with dot as a plain i instead of i with U+0307.
def name_normalizer_normalize_name(aliases, name: str):
    key = name.replace("\u0130", "i").lower()
    if key in aliases:
        return aliases[key]
    return key
