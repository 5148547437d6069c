# Wrong: upper and lower case are ignored for the doctype only, the html tag must be in lower case.


def looks_like_html(response: dict) -> bool:
    text = response["text"].lstrip()
    return text.startswith("<html") or text[:9].lower() == "<!doctype"
