# Wrong: looks for "?" in the whole URL, so a "?" inside the fragment makes it join with "&" though there is no query.
import unicodedata
from urllib.parse import quote, unquote


def generic_url_cleanup(url):
    if "#!" in url:
        base, state = url.split("#!", 1)
        glue = "&" if "?" in url else "?"
        state = unicodedata.normalize("NFC", unquote(state, errors="surrogateescape"))
        url = base + glue + "_escaped_fragment_=" + quote(state, errors="surrogateescape")
    return _drop_empty_query(url)


def _drop_empty_query(url):
    head, mark, fragment = url.partition("#")
    path, _, query = head.partition("?")
    query = query.lstrip("&")
    if query:
        path += "?" + query
    return path + mark + fragment
