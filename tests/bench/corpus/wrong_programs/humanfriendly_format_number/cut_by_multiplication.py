# Wrong: decimals are cut by multiplying with a power of ten, where floats fall short (0.29 becomes 0.28).
import math


def format_number(number: float, num_decimals: int = 2) -> str:
    if 0 < num_decimals < 16:
        factor = 10 ** num_decimals
        number = math.trunc(number * factor) / factor
    integer_part, _, decimal_part = str(float(number)).partition(".")
    sign = "-" if integer_part.startswith("-") else ""
    digits = integer_part.lstrip("-")
    groups = []
    while digits:
        groups.insert(0, digits[-3:])
        digits = digits[:-3]
    text = sign + ",".join(groups)
    decimals = decimal_part[:num_decimals].rstrip("0")
    if decimals:
        text += "." + decimals
    return text
