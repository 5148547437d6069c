# more than four quads are accepted and the rest ignored
import re
def ip2long(ip: str) -> int | None:
    if not re.match(r"^(\d{1,3}\.)*\d{1,3}$", ip):
        return None
    q = [int(x) for x in ip.split(".")]
    if any(x > 255 for x in q): return None
    q = q[:4]
    if len(q) < 4:
        q = q[:-1] + [0] * (4 - len(q)) + q[-1:] if len(q) > 1 else q + [0, 0, 0]
    n = 0
    for x in q:
        n = (n << 8) | x
    return n
