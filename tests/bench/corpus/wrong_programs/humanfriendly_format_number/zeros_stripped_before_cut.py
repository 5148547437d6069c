# Wrong: zeros at the end are stripped before the decimals are cut, so zeros can stay.
def format_number(number: float, num_decimals: int = 2) -> str:
    integer_part, _, decimal_part = str(float(number)).partition(".")
    sign = "-" if integer_part.startswith("-") else ""
    digits = integer_part.lstrip("-")
    groups = []
    while digits:
        groups.insert(0, digits[-3:])
        digits = digits[:-3]
    text = sign + ",".join(groups)
    decimals = decimal_part.rstrip("0")[:num_decimals]
    if decimals:
        text += "." + decimals
    return text
