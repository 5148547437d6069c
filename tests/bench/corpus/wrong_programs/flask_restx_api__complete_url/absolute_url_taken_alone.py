# Wrong: a url_part with a scheme is taken as a full URL and nothing is put in front.
def api_complete_url(prefix, url_part, registration_prefix) -> str:
    if isinstance(url_part, str) and url_part.startswith(("http://", "https://")):
        return url_part
    return "".join(filter(None, (registration_prefix, prefix, url_part)))
