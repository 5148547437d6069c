# Wrong: only the whole zero is empty, not 0.0
def field_omit(omitempty, value):
    if isinstance(value, (bool, float)):
        return False
    return omitempty and not value
