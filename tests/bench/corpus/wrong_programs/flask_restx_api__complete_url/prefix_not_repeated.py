# Wrong: the prefix is left out if url_part begins with it already.
def api_complete_url(prefix, url_part, registration_prefix) -> str:
    pieces = []
    if registration_prefix:
        pieces.append(registration_prefix)
    if prefix:
        if not (url_part and url_part.startswith(prefix + "/")):
            pieces.append(prefix)
    if url_part:
        pieces.append(url_part)
    return "".join(pieces)
