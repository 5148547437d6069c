# Wrong: unquotes the fragment again and again until nothing changes, so a percent sign that was itself escaped is lost.
import unicodedata
from urllib.parse import quote, unquote


def _plain(text):
    while True:
        once = unquote(text, errors="surrogateescape")
        if once == text:
            return unicodedata.normalize("NFC", text)
        text = once


def generic_url_cleanup(url):
    base, bang, state = url.partition("#!")
    if bang:
        glue = "&" if "?" in base else "?"
        url = base + glue + "_escaped_fragment_=" + quote(_plain(state), errors="surrogateescape")
    return _drop_empty_query(url)


def _drop_empty_query(url):
    head, mark, fragment = url.partition("#")
    path, _, query = head.partition("?")
    query = query.lstrip("&")
    if query:
        path += "?" + query
    return path + mark + fragment
