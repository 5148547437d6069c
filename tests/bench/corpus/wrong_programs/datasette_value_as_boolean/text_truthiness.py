# WRONG: any text that is not empty is true
def value_as_boolean(value):
    return bool(value)
