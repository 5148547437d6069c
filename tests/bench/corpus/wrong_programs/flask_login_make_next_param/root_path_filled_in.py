# Wrong: an empty path of a URL with a host becomes a slash.
from urllib.parse import urlsplit, urlunsplit


def make_next_param(login_url, current_url):
    login = urlsplit(login_url)
    current = urlsplit(current_url)
    if (not login.scheme or login.scheme == current.scheme) and (
        not login.netloc or login.netloc == current.netloc
    ):
        path = current.path
        if current.netloc and not path:
            path = "/"
        return urlunsplit(("", "", path, current.query, ""))
    return current_url
