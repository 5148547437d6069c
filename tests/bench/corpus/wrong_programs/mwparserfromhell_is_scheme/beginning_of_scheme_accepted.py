# Wrong: a text that is only the beginning of a scheme is accepted.
URI_SCHEMES = {
    "bitcoin": False, "ftp": True, "ftps": True, "geo": False, "git": True,
    "gopher": True, "http": True, "https": True, "irc": True, "ircs": True,
    "magnet": False, "mailto": False, "mms": True, "news": False,
    "nntp": True, "redis": True, "sftp": True, "sip": False, "sips": False,
    "sms": False, "ssh": True, "svn": True, "tel": False, "telnet": True,
    "urn": False, "worldwind": True, "xmpp": False,
}


def is_scheme(scheme, slashes=True):
    scheme = scheme.lower()
    if not scheme:
        return False
    found = [known for known in URI_SCHEMES if known.startswith(scheme)]
    if slashes:
        return bool(found)
    return any(not URI_SCHEMES[known] for known in found)
