# Wrong: hosts are compared without their ports.
from urllib.parse import urlsplit, urlunsplit


def _host(netloc):
    return netloc.rpartition("@")[2].split(":")[0]


def make_next_param(login_url, current_url):
    login = urlsplit(login_url)
    current = urlsplit(current_url)
    same_scheme = not login.scheme or login.scheme == current.scheme
    same_host = not login.netloc or _host(login.netloc) == _host(current.netloc)
    if same_scheme and same_host:
        return urlunsplit(("", "", current.path, current.query, ""))
    return current_url
