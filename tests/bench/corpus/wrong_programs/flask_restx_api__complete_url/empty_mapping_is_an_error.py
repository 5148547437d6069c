# Wrong: the empty mapping does not count as absent.
def api_complete_url(prefix, url_part, registration_prefix) -> str:
    result = ""
    for part in (registration_prefix, prefix, url_part):
        if part in (None, False, 0, "", []):
            continue
        if not isinstance(part, str):
            raise TypeError("a part must be a text")
        result += part
    return result
