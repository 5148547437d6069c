# wrong: falls back on int(x, 0), so hexadecimal, octal and binary literals pass


def check_int_try(x: str) -> bool:
    for base in (10, 0):
        try:
            int(x, base)
        except ValueError:
            continue
        return True
    return False
