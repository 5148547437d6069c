# Wrong: the domain of a text user name that is an address is turned into its IDNA (ASCII) form.
import base64


def _to_bytes(value):
    return value if isinstance(value, bytes) else value.encode("utf-8")


def _user_bytes(username):
    if isinstance(username, bytes):
        return username
    local, at, domain = username.rpartition("@")
    if at and not domain.isascii():
        try:
            domain = domain.encode("idna").decode("ascii")
        except UnicodeError:
            pass
    return (local + at + domain).encode("utf-8")


def auth_plain_encode(username, password):
    return base64.b64encode(b"\0" + _user_bytes(username) + b"\0" + _to_bytes(password))
