# wrong: a value that is only a line end counts as nothing
def none_as(value, replacement=None):
    if value is None:
        return replacement
    if value and not value.strip("\r\n"):
        return replacement
    return value
