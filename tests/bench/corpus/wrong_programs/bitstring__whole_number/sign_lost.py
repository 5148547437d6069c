# the sign in a text is lost
import operator, re
def whole_number(value: int | str) -> int:
    if not isinstance(value, str):
        return operator.index(value)
    return int(re.search(r"\d[\d_]*", value)[0])
