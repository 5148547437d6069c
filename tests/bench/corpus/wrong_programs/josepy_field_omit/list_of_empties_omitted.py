# Wrong: a list that holds only empty things is omitted too
def field_omit(omitempty, value):
    def empty(v):
        if isinstance(v, bool):
            return False
        if isinstance(v, (list, tuple)):
            return all(empty(item) for item in v)
        return not v

    return omitempty and empty(value)
