# Wrong: orders keys made of digits by their value; keys are texts and go by code point, so another entry wins when two keys meet.
def name_normalizer_normalize_keys(aliases, value):
    def order(key):
        if key.isascii() and key.isdigit():
            return (0, int(key), key)
        return (1, 0, key)

    result = {}
    for key in sorted(value, key=order):
        name = key.lower()
        result[aliases.get(name, name)] = value[key]
    return result
