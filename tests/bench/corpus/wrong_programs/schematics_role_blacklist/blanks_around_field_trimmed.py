# Wrong: blanks around the names in the list are trimmed before comparing.
def blacklist(name, value, seq):
    if seq is None or len(seq) == 0:
        return False
    for field in seq:
        if isinstance(field, str):
            if field == name or field.strip(" ") == name:
                return True
    return False
