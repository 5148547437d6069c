# Wrong: a plus in the fragment is read as a blank (unquote_plus), so "+" becomes %20 instead of %2B.
import unicodedata
from urllib.parse import quote, unquote_plus


def generic_url_cleanup(url):
    base, bang, state = url.partition("#!")
    if bang:
        state = unicodedata.normalize("NFC", unquote_plus(state, errors="surrogateescape"))
        glue = "&" if "?" in base else "?"
        url = base + glue + "_escaped_fragment_=" + quote(state, errors="surrogateescape")
    return _drop_empty_query(url)


def _drop_empty_query(url):
    head, mark, fragment = url.partition("#")
    path, _, query = head.partition("?")
    query = query.lstrip("&")
    if query:
        path += "?" + query
    return path + mark + fragment
