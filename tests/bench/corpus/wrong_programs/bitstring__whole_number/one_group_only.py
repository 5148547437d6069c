# only one underscore group is read
import operator, re
def whole_number(value: int | str) -> int:
    if not isinstance(value, str):
        return operator.index(value)
    return int(re.match(r"\s*([+-]?\d+(?:_\d+)?)", value)[1])
