# Wrong: numbers are never empty, zero included
def field_omit(omitempty, value):
    if not omitempty:
        return False
    if value is None:
        return True
    try:
        return len(value) == 0
    except TypeError:
        return False
