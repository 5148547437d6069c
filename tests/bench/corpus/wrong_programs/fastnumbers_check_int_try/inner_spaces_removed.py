# wrong: takes out every space, not only those at the ends


def check_int_try(x: str) -> bool:
    try:
        int(x.replace(" ", ""))
    except ValueError:
        return False
    return True
