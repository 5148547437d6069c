# wrong: refuses a map of just two bytes
def is_loose_object(m: list[str]) -> bool:
    if len(m) <= 2:
        return False
    b0, b1 = ord(m[0]), ord(m[1])
    return b0 == 120 and (b0 * 256 + b1) % 31 == 0
