# a percent sign at the end is taken off before the text is read
def badge_value_is_float(value):
    if isinstance(value, bool):
        return False
    if isinstance(value, (int, float)):
        return not float(value) == int(value) if value == value else True
    if not isinstance(value, str):
        return False
    text = value.strip().rstrip("%")
    try:
        number = float(text)
    except ValueError:
        return False
    try:
        return int(text) != number
    except ValueError:
        return True
