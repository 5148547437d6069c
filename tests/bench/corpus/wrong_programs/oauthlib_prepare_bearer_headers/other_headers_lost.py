# WRONG: only the new header is returned
def prepare_bearer_headers(token, headers=None):
    headers = {}
    headers["Authorization"] = "Bearer %s" % token
    return headers
