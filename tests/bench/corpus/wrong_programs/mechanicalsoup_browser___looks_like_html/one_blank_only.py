# Wrong: only one blank at the start is passed over, not all of them.
import re

_START = re.compile(r"\s?<(?:html|!doctype)", re.IGNORECASE)


def looks_like_html(response: dict) -> bool:
    return _START.match(response["text"]) is not None
