# wrong: the text 'None' is taken for nothing because the value is compared as a text
def none_as(value, replacement=None):
    if str(value) == "None":
        return replacement
    return value
