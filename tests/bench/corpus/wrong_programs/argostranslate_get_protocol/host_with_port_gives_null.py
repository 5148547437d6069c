# a host name with a port is recognized and said to have no protocol
import re


def get_protocol(url):
    if re.match(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+:\d+(/|$)", url):
        return None
    protocol, colon, _ = url.partition(":")
    if not colon:
        return None
    return protocol or None
