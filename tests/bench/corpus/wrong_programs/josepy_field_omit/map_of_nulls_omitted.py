# Wrong: a map all of whose values are null is omitted too
def field_omit(omitempty, value):
    if not omitempty or isinstance(value, bool):
        return False
    if isinstance(value, dict):
        return all(v is None for v in value.values())
    return not value
