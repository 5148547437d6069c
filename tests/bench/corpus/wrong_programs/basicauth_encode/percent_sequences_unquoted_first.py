# wrong: undoes percent escapes in the input "to avoid double encoding", so a password that holds %41 is changed
import base64
from urllib.parse import quote, unquote


def encode(username: str, password: str) -> str:
    user = quote(unquote(username))
    secret = quote(unquote(password))
    raw = (user + ":" + secret).encode("utf-8")
    return "Basic " + base64.b64encode(raw).decode("ascii")
