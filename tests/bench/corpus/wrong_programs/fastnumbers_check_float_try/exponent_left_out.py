# wrong: knows no exponents
import re

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+|nan|inf(inity)?)\s*", re.IGNORECASE)


def check_float_try(x: str) -> bool:
    return _NUMBER.fullmatch(x) is not None
