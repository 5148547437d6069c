# Wrong: a login URL without a scheme is taken for a relative one, though it may name another host (//host/path).
from urllib.parse import urlsplit, urlunsplit


def make_next_param(login_url, current_url):
    login = urlsplit(login_url)
    current = urlsplit(current_url)
    if not login.scheme or (
        login.scheme == current.scheme
        and (not login.netloc or login.netloc == current.netloc)
    ):
        return urlunsplit(("", "", current.path, current.query, ""))
    return current_url
