# only 0 to 9 count as digits, not those of other scripts
import re


def badge_value_is_float(value):
    if isinstance(value, bool):
        return False
    if isinstance(value, (int, float)):
        return not float(value) == int(value) if value == value else True
    if not isinstance(value, str):
        return False
    text = value.strip()
    if re.fullmatch(r"[+-]?[0-9]+(?:_[0-9]+)*", text):
        return int(text) != float(text)
    if re.fullmatch(r"(?i:[+-]?(?:inf|infinity|nan))", text):
        return True
    return re.fullmatch(r"[+-]?(?:[0-9]+(?:_[0-9]+)*\.?(?:[0-9]+(?:_[0-9]+)*)?|\.[0-9]+(?:_[0-9]+)*)(?:[eE][+-]?[0-9]+(?:_[0-9]+)*)?", text) is not None
