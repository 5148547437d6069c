# WRONG: "1" is forgotten
def value_as_boolean(value):
    return value.lower() in ("on", "true")
