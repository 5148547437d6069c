# Wrong: a url_part of only a slash is left out behind another part.
def api_complete_url(prefix, url_part, registration_prefix) -> str:
    base = "".join(p for p in (registration_prefix, prefix) if p)
    if not url_part or (base and url_part == "/"):
        return "".join([base])
    return "".join([base, url_part])
