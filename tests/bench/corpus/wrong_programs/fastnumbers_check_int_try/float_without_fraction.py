# wrong: a number with a decimal point or an exponent passes if its value is integral


def check_int_try(x: str) -> bool:
    try:
        return float(x).is_integer()
    except ValueError:
        return False
