# Wrong: the origin is removed by text replacement, so also where it occurs again within the query.
from urllib.parse import urlsplit, urlunsplit


def make_next_param(login_url, current_url):
    login = urlsplit(login_url)
    current = urlsplit(current_url)
    if (not login.scheme or login.scheme == current.scheme) and (
        not login.netloc or login.netloc == current.netloc
    ):
        reduced = urlunsplit(("", "", current.path, current.query, ""))
        if not current.netloc:
            return reduced
        full = urlunsplit(current._replace(fragment=""))
        return full.replace(current.scheme + "://" + current.netloc, "")
    return current_url
