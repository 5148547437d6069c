# wrong: returns the truth of the number, so zero is no number
def check_float_try(x: str) -> bool:
    try:
        return bool(float(x))
    except ValueError:
        return False
