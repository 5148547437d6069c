# wrong: leaves ! * ' ( ) alone as JavaScript's encodeURIComponent does, although quote escapes them
import base64
from urllib.parse import quote

_SAFE = "/!*'()"


def encode(username: str, password: str) -> str:
    raw = ":".join(quote(part, safe=_SAFE) for part in (username, password))
    return "Basic " + base64.b64encode(raw.encode()).decode()
