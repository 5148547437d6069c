# Wrong: a key whose entry is null gives None; the default of get is for missing keys only.
def multi_dict_getall(dict, key):
    return dict.get(key, [])
