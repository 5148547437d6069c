# WRONG: blanks around the token are removed
def prepare_bearer_headers(token, headers=None):
    headers = dict(headers or {})
    headers["Authorization"] = "Bearer %s" % token.strip()
    return headers
