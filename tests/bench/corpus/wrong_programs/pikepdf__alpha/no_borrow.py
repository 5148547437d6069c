# Wrong: a remainder of 0 becomes Z but the quotient is not lessened.
def alpha(n: int) -> str:
    if n < 1:
        raise ValueError(n)
    if n <= 26:
        return chr(64 + n)
    return alpha(n // 26) + chr(64 + (n % 26 or 26))
