# a protocol of only blanks counts as nothing
def get_protocol(url):
    if ":" not in url:
        return None
    protocol = url.split(":", 1)[0]
    if not protocol.strip():
        return None
    return protocol
