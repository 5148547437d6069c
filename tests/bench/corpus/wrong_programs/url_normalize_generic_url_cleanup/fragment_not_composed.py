# Wrong: the unquoted fragment is not brought into composed form (NFC) before it is quoted again.
from urllib.parse import quote, unquote


def generic_url_cleanup(url):
    base, bang, state = url.partition("#!")
    if bang:
        state = quote(unquote(state, errors="surrogateescape"), errors="surrogateescape")
        url = base + ("&" if "?" in base else "?") + "_escaped_fragment_=" + state
    return _drop_empty_query(url)


def _drop_empty_query(url):
    head, mark, fragment = url.partition("#")
    path, _, query = head.partition("?")
    query = query.lstrip("&")
    if query:
        path += "?" + query
    return path + mark + fragment
