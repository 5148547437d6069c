# Wrong: a key that is not there is looked for without regard to case, as in a map of headers.
def multi_dict_getall(dict, key):
    if key in dict:
        return dict[key] or []
    for name, values in dict.items():
        if name.lower() == key.lower():
            return values or []
    return []
