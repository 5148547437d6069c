# Wrong: a digit 0 of base 26 is repaired in the last place only.
def alpha(n: int) -> str:
    if n < 1:
        raise ValueError(n)
    digits = []
    while n:
        n, r = divmod(n, 26)
        digits.insert(0, r)
    if digits[-1] == 0:
        digits[-1] = 26
        digits[-2] -= 1
    return "".join(chr(64 + d) for d in digits if d)
