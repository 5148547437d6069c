# wrong: two slashes that meet are made one
def gitlab_build_url(url, path):
    if path.startswith("http://") or path.startswith("https://"):
        return path
    if url.endswith("/") and path.startswith("/"):
        return url + path[1:]
    return url + path
