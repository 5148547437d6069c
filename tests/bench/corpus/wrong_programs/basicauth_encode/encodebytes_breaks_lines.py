# wrong: base64.encodebytes puts a line break after every 76 characters; only the one at the end is stripped
import base64
from urllib.parse import quote


def encode(username: str, password: str) -> str:
    pair = "{}:{}".format(quote(username), quote(password))
    token = base64.encodebytes(pair.encode("utf-8")).decode("ascii").strip()
    return "Basic " + token
