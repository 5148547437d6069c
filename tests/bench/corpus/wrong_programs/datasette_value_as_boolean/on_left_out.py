# WRONG: "on" is forgotten
def value_as_boolean(value):
    return value.lower() in ("true", "1")
