# Wrong: texts go through the mapping of SASLprep: no-break and other wide spaces become plain spaces, soft hyphens go.
import base64
import unicodedata


def _prep(text):
    out = []
    for char in text:
        if char in "\u00ad\u200b\u200c\u200d\ufeff":
            continue
        out.append(" " if unicodedata.category(char) == "Zs" else char)
    return "".join(out)


def _to_bytes(value):
    if isinstance(value, bytes):
        return value
    return _prep(value).encode("utf-8")


def auth_plain_encode(username, password):
    return base64.b64encode(b"\0" + _to_bytes(username) + b"\0" + _to_bytes(password))
