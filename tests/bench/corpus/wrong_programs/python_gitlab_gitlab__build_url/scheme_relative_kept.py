# wrong: a path with two leading slashes is taken for a url without scheme
def gitlab_build_url(url, path):
    for prefix in ("http://", "https://", "//"):
        if path.startswith(prefix):
            return path
    return "".join((url, path))
