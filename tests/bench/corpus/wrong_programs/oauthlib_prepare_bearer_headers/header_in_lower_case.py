# WRONG: the name is written in lower case
def prepare_bearer_headers(token, headers=None):
    headers = dict(headers or {})
    headers["authorization"] = "Bearer %s" % token
    return headers
