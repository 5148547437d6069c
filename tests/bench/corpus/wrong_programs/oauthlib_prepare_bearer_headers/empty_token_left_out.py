# WRONG: no header for an empty token
def prepare_bearer_headers(token, headers=None):
    headers = dict(headers or {})
    if token:
        headers["Authorization"] = "Bearer %s" % token
    return headers
