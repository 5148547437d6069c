# WRONG: the file name may be any part of the path, not only its last.
def get_license_link_for_filename(filename, urls):
    if sum(url.endswith("/" + filename) for url in urls) > 1:
        raise Exception("More than one link found for " + filename)
    for url in urls:
        if filename in url.split("/")[1:]:
            return url
    raise Exception("No link found for " + filename)
