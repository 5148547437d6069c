# a single letter before the colon is taken for a Windows drive, not a protocol
def get_protocol(url):
    position = url.find(":")
    if position < 1:
        return None
    protocol = url[:position]
    if len(protocol) == 1 and protocol.isalpha():
        return None
    return protocol
