# Wrong: a login URL with the same host but no scheme is not reduced; scheme and host must be both missing or both equal.
from urllib.parse import urlsplit, urlunsplit


def make_next_param(login_url, current_url):
    login = urlsplit(login_url)
    current = urlsplit(current_url)
    relative = not login.scheme and not login.netloc
    same_origin = login.scheme == current.scheme and login.netloc == current.netloc
    scheme_only = login.scheme == current.scheme and not login.netloc
    if relative or same_origin or scheme_only:
        return urlunsplit(("", "", current.path, current.query, ""))
    return current_url
