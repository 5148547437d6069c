# a text with a leading zero is read as octal
import operator, re
def whole_number(value: int | str) -> int:
    if not isinstance(value, str):
        return operator.index(value)
    if re.fullmatch(r"\s*[+-]?0[0-7]+\s*", value):
        return int(value, 8)
    return int(value)
