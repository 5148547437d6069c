# Wrong: a registration prefix of only a slash is left out.
def api_complete_url(prefix, url_part, registration_prefix) -> str:
    if registration_prefix == "/":
        registration_prefix = ""
    return "".join(p for p in (registration_prefix, prefix, url_part) if p)
