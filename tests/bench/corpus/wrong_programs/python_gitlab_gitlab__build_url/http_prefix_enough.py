# wrong: a path whose first word is "http" or "https" is taken for a url, the "://" is not asked for
import re


def gitlab_build_url(url, path):
    if re.match(r"https?\b", path):
        return path
    return f"{url}{path}"
