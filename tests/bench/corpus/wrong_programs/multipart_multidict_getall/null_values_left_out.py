# Wrong: values that are null are left out of the list.
def multi_dict_getall(dict, key):
    return [value for value in dict.get(key) or [] if value is not None]
