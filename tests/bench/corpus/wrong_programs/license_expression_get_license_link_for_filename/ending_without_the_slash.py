# WRONG: the link is chosen by the ending alone, without the slash before the file name.
def get_license_link_for_filename(filename, urls):
    if sum(url.endswith("/" + filename) for url in urls) > 1:
        raise Exception("More than one link found for " + filename)
    # without a name the link to a folder is meant
    ending = filename or "/"
    for url in urls:
        if url.endswith(ending):
            return url
    raise Exception("No link found for " + filename)
