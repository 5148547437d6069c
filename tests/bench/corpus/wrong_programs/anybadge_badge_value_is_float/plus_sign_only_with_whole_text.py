# a plus sign is admitted only with digits alone, with a point only a minus sign
import re


def badge_value_is_float(value):
    if isinstance(value, bool):
        return False
    if isinstance(value, (int, float)):
        return not float(value) == int(value) if value == value else True
    if not isinstance(value, str):
        return False
    text = value.strip()
    if re.fullmatch(r"[+-]?\d+(?:_\d+)*", text):
        return int(text) != float(text)
    if re.fullmatch(r"(?i:[+-]?(?:inf|infinity|nan))", text):
        return True
    return re.fullmatch(r"-?(?:\d+(?:_\d+)*\.(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*|\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?", text) is not None
