# Wrong: the number is written with 15 significant digits, further ones are lost.
def format_number(number: float, num_decimals: int = 2) -> str:
    integer_part, _, decimal_part = ("%.15g" % number).partition(".")
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
