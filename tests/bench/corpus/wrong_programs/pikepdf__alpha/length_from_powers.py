# Wrong: the number of letters is taken from 26**k alone, not from the sum of the powers.
def alpha(n: int) -> str:
    if n < 1:
        raise ValueError(n)
    length = 1
    while 26 ** length < n:
        length += 1
    n -= sum(26 ** k for k in range(length))
    out = []
    for _ in range(length):
        n, r = divmod(n, 26)
        out.append("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[r])
    return "".join(reversed(out))
