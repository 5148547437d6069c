# wrong: tests for falsehood rather than for nothing, so an empty text is replaced
def none_as(value, replacement=None):
    if not value and replacement is not None:
        return replacement
    return value
