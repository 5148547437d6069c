# Wrong: with decimals the number is rounded to them instead of cut.
def format_number(number: float, num_decimals: int = 2) -> str:
    if num_decimals:
        number = round(float(number), num_decimals)
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
