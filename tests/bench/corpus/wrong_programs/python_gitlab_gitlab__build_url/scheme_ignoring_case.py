# wrong: the scheme is recognised in any case
def gitlab_build_url(url, path):
    if path.lower().startswith(("http://", "https://")):
        return path
    return url + path
