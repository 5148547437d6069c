# WRONG: an Authorization header that is there stays
def prepare_bearer_headers(token, headers=None):
    headers = dict(headers or {})
    headers.setdefault("Authorization", "Bearer %s" % token)
    return headers
