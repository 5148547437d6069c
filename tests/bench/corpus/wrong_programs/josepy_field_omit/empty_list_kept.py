# Wrong: only null, zero, the empty text and the empty map are empty; an empty list is kept
def field_omit(omitempty, value):
    if value is True or value is False:
        return False
    return omitempty and (value is None or value == 0 or value == "" or value == {})
