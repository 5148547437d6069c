# Wrong: it looks at the first 512 characters only, blanks included, so a page after a long run of blanks is missed.

_SNIFF = 512


def looks_like_html(response: dict) -> bool:
    head = response["text"][:_SNIFF].lstrip().lower()
    return head.startswith(("<html", "<!doctype"))
