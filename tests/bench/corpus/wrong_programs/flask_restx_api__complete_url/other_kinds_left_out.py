# Wrong: a part that is neither a text nor absent is left out instead of being an error.
def api_complete_url(prefix, url_part, registration_prefix) -> str:
    parts = (registration_prefix, prefix, url_part)
    return "".join(p for p in parts if isinstance(p, str))
