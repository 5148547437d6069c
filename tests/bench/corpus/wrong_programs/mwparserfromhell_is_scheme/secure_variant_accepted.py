# Wrong: a scheme with an s after it is accepted as the secure variant of a known one, though it is not in the table.
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
    if scheme not in URI_SCHEMES and scheme.endswith("s"):
        scheme = scheme[:-1]
    if slashes:
        return scheme in URI_SCHEMES
    return scheme in URI_SCHEMES and not URI_SCHEMES[scheme]
