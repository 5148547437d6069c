# wrong: wants a digit before the decimal point
import re


def check_float_try(x: str) -> bool:
    return bool(re.fullmatch(r"[+-]?(\d[\d_]*(\.\d*)?(e[+-]?\d+)?|nan|inf|infinity)", x.strip(), re.IGNORECASE))
