# Wrong: the empty map is not counted as empty
def field_omit(omitempty, value):
    if isinstance(value, bool) or not omitempty:
        return False
    if value is None or value == 0:
        return True
    return isinstance(value, (str, list, tuple, set, frozenset)) and not value
