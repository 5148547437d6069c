# wrong: strips spaces first, so a text of spaces has no length
def validate_string(s: int | str) -> bool:
    try:
        return len(s.strip(" ")) > 0
    except AttributeError:
        return False
