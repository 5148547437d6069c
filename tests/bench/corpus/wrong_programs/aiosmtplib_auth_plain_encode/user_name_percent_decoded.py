# Wrong: the user name is percent-decoded, as though it came from an smtp:// address.
import base64
from urllib.parse import unquote, unquote_to_bytes


def auth_plain_encode(username, password):
    if isinstance(username, bytes):
        user = unquote_to_bytes(username)
    else:
        user = unquote(username).encode("utf-8")
    secret = password if isinstance(password, bytes) else password.encode("utf-8")
    return base64.b64encode(b"\0" + user + b"\0" + secret)
