# auth method names are put in lower case only in the old style "auth=..."; those of "AUTH PLAIN LOGIN" keep their case
import re

OLDSTYLE_AUTH = re.compile(r"auth=(?P<auth>.*)", re.IGNORECASE)


def parse_esmtp_extensions(message):
    extensions = {}
    auth_methods = []
    for line in message.split("\n")[1:]:
        line = line.strip()
        if not line:
            continue
        old = OLDSTYLE_AUTH.fullmatch(line)
        if old is not None:
            keyword, params = "auth", old.group("auth")
        else:
            keyword, _, params = line.partition(" ")
        keyword = keyword.lower()
        params = params.strip()
        extensions[keyword] = params
        if keyword == "auth":
            methods = params.split()
            if old is not None:
                methods = [method.lower() for method in methods]
            auth_methods.extend(methods)
    return extensions, auth_methods
