# Wrong: where the key is missing, the values of "key[]" are returned, as in PHP's forms.
def multi_dict_getall(dict, key):
    values = dict.get(key)
    if not values:
        values = dict.get(key + "[]")
    return values or []
