# Wrong: a part that is no text is converted to one instead of being an error.
def api_complete_url(prefix, url_part, registration_prefix) -> str:
    return "".join(str(p) for p in (registration_prefix, prefix, url_part) if p)
