# Wrong: the pattern demands a digit before the decimal point.
import re

NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?")


def check_real_try(x: str) -> bool:
    return bool(NUMBER.fullmatch(x.strip()))
