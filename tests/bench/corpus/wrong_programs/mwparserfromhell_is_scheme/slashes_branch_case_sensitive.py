# Wrong: the scheme is lowered only where no slashes follow; with slashes capitals are not found.
URI_SCHEMES = {
    "bitcoin": False, "ftp": True, "ftps": True, "geo": False, "git": True,
    "gopher": True, "http": True, "https": True, "irc": True, "ircs": True,
    "magnet": False, "mailto": False, "mms": True, "news": False,
    "nntp": True, "redis": True, "sftp": True, "sip": False, "sips": False,
    "sms": False, "ssh": True, "svn": True, "tel": False, "telnet": True,
    "urn": False, "worldwind": True, "xmpp": False,
}


def is_scheme(scheme, slashes=True):
    if slashes:
        return scheme in URI_SCHEMES
    scheme = scheme.lower()
    return scheme in URI_SCHEMES and not URI_SCHEMES[scheme]
