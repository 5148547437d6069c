# as RFC 3986 has it, a text with / before the colon is relative and has no protocol
def get_protocol(url):
    protocol, colon, _ = url.partition(":")
    if not colon or not protocol or "/" in protocol:
        return None
    return protocol
