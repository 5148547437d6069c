# wrong: drops commas as thousands separators
def check_float_try(x: str) -> bool:
    try:
        float(x.replace(",", ""))
        return True
    except ValueError:
        return False
