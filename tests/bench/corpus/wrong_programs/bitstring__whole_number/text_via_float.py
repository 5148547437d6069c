# the text goes through float and loses digits
import operator, re
def whole_number(value: int | str) -> int:
    if not isinstance(value, str):
        return operator.index(value)
    return int(float(value))
