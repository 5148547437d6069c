# wrong: ignores the case of the first character
def is_loose_object(m: list[str]) -> bool:
    first, second = m[0].lower(), m[1]
    word = (ord(first) << 8) + ord(second)
    return first == "x" and word % 31 == 0
