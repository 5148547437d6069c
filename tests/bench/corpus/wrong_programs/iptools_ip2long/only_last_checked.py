# only the last quad is checked against 255
import re
def ip2long(ip: str) -> int | None:
    if not re.match(r"^(\d{1,3}\.){0,3}\d{1,3}$", ip):
        return None
    q = [int(x) for x in ip.split(".")]
    if q[-1] > 255: return None
    if len(q) < 4:
        q = q[:-1] + [0] * (4 - len(q)) + q[-1:] if len(q) > 1 else q + [0, 0, 0]
    n = 0
    for x in q:
        n = (n << 8) | x
    return n
