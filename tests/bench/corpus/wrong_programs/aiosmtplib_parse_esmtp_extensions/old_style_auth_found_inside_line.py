# "auth=" is looked for anywhere in the line (search), not matched against the whole of it
import re

OLDSTYLE_AUTH = re.compile(r"auth=(?P<auth>.*)", re.IGNORECASE)


def parse_esmtp_extensions(message):
    extensions = {}
    auth_methods = []
    for line in message.split("\n")[1:]:
        line = line.strip()
        if not line:
            continue
        old = OLDSTYLE_AUTH.search(line)
        if old is not None:
            keyword, params = "auth", old.group("auth")
        else:
            keyword, _, params = line.partition(" ")
        keyword = keyword.lower()
        params = params.strip()
        extensions[keyword] = params
        if keyword == "auth":
            auth_methods.extend(method.lower() for method in params.split())
    return extensions, auth_methods
