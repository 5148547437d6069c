# Wrong: no part between underscores may open with a digit; only the whole name may not.
def is_identifier(string):
    if not string:
        return False
    for part in string.split("_"):
        if part and (part[0].isdigit() or not part.isalnum()):
            return False
    return True
