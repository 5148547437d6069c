# where :// occurs it divides there, not at the first colon
def get_protocol(url):
    if "://" in url:
        protocol = url.split("://")[0]
    elif ":" in url:
        protocol = url.split(":")[0]
    else:
        return None
    return protocol or None
