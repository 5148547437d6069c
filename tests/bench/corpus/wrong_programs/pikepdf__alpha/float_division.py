# Wrong: int(n / 26) divides as floats, so large numbers lose digits.
def alpha(n: int) -> str:
    if n < 1:
        raise ValueError(n)
    letters = ""
    while n > 0:
        n -= 1
        letters = chr(65 + n % 26) + letters
        n = int(n / 26)
    return letters
