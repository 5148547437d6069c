# empty quads are skipped instead of making the address invalid
import re
def ip2long(ip: str) -> int | None:
    if not re.match(r"^[\d.]*\d[\d.]*$", ip):
        return None
    q = [int(x) for x in ip.split(".") if x]
    if len(q) > 4 or any(x > 255 for x in q): return None
    if len(q) < 4:
        q = q[:-1] + [0] * (4 - len(q)) + q[-1:] if len(q) > 1 else q + [0, 0, 0]
    n = 0
    for x in q:
        n = (n << 8) | x
    return n
