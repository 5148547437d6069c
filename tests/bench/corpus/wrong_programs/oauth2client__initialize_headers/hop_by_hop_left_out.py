# Wrong: headers that concern only one connection (hop-by-hop) are not copied.
HOP_BY_HOP = {
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization",
    "te", "trailer", "transfer-encoding", "upgrade",
}


def initialize_headers(headers):
    if headers is None:
        return {}
    return {name: value for name, value in headers.items() if name.lower() not in HOP_BY_HOP}
