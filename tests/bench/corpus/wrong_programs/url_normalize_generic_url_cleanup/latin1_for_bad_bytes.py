# Wrong: decodes and encodes the fragment as Latin-1 so that bad bytes survive; other texts then come out in the wrong bytes.
from urllib.parse import quote, unquote


def generic_url_cleanup(url):
    base, bang, state = url.partition("#!")
    if bang:
        state = quote(unquote(state, encoding="latin-1"), encoding="latin-1")
        url = base + ("&" if "?" in base else "?") + "_escaped_fragment_=" + state
    return _drop_empty_query(url)


def _drop_empty_query(url):
    head, mark, fragment = url.partition("#")
    path, _, query = head.partition("?")
    query = query.lstrip("&")
    if query:
        path += "?" + query
    return path + mark + fragment
