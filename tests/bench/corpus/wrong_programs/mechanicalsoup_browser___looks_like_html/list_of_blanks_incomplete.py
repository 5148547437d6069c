# Wrong: the blanks are a list made by hand that lacks some of Unicode's white space, such as U+2003 and U+2028.

_BLANKS = " \t\n\r\f\v\u00a0\u3000"


def looks_like_html(response: dict) -> bool:
    text = response["text"].lstrip(_BLANKS).lower()
    return text.startswith("<html") or text.startswith("<!doctype")
