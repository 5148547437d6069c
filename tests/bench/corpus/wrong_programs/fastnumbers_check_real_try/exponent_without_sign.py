# Wrong: the exponent may have no sign.
import re


def check_real_try(x: str) -> bool:
    x = x.strip()
    mantissa, e, exponent = x.lower().partition("e")
    if e and not exponent.isdecimal():
        return False
    return re.fullmatch(r"[-+]?(\d+(\.\d*)?|\.\d+)", mantissa) is not None
