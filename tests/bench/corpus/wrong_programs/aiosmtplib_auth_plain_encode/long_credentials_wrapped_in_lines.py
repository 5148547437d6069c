# Wrong: base64.encodebytes puts an end of line after every 76 characters; only the last one is taken off.
import base64


def _to_bytes(value):
    return value if isinstance(value, bytes) else value.encode("utf-8")


def auth_plain_encode(username, password):
    message = b"\0" + _to_bytes(username) + b"\0" + _to_bytes(password)
    return base64.encodebytes(message).rstrip(b"\n")
