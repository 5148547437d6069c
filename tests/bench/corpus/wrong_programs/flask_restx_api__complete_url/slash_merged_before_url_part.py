# Wrong: two slashes where prefix and url_part meet become one.
def api_complete_url(prefix, url_part, registration_prefix) -> str:
    parts = [p for p in (registration_prefix, prefix) if p]
    if url_part:
        if prefix and prefix.endswith("/") and url_part.startswith("/"):
            url_part = url_part[1:]
        parts.append(url_part)
    return "".join(parts)
