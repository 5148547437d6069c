# WRONG: what follows "?" or "#" in a link is left out of the comparison.
def get_license_link_for_filename(filename, urls):
    links = []
    for url in urls:
        path = url.split("#")[0].split("?")[0]
        if path.endswith("/" + filename):
            links.append(url)
    if not links:
        raise Exception("No link found for " + filename)
    if len(links) > 1:
        raise Exception("More than one link found for " + filename)
    return links[0]
