# wrong: a hand-made percent encoding whose set of unreserved characters lacks the tilde
import base64
import string

_KEEP = set((string.ascii_letters + string.digits + "_.-/").encode())


def _quote(text):
    return "".join(chr(b) if b in _KEEP else "%%%02X" % b for b in text.encode("utf-8"))


def encode(username: str, password: str) -> str:
    raw = _quote(username) + ":" + _quote(password)
    return "Basic " + base64.b64encode(raw.encode("ascii")).decode("ascii")
