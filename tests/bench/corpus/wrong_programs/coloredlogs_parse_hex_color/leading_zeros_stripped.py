# Wrong: strips "#", "0" and "x" from the left to cover "0x" too, and so loses leading zeros that decide the form.
def parse_hex_color(value: str):
    digits = value.lstrip("#0x")
    if len(digits) == 3:
        digits = "".join(c + c for c in digits)
    digits = digits.rjust(6, "0")
    if len(digits) != 6:
        raise ValueError("expected #RGB or #RRGGBB, got %r" % value)
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
