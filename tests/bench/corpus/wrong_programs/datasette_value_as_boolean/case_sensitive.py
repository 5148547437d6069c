# WRONG: upper case is taken for off
def value_as_boolean(value):
    return value in ("on", "true", "1")
