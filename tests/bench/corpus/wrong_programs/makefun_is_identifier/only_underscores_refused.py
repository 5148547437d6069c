# Wrong: a name made of underscores only is refused, for want of a part that is not empty.
def is_identifier(string):
    if not string or string[0].isdigit():
        return False
    parts = [part for part in string.split("_") if part]
    return bool(parts) and all(part.isalnum() for part in parts)
