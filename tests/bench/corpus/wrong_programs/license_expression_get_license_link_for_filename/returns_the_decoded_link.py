# WRONG: the links are percent-decoded first and the decoded link is returned instead of the one in the list.
from urllib.parse import unquote


def get_license_link_for_filename(filename, urls):
    links = [unquote(url) for url in urls]
    links = [link for link in links if link.endswith("/" + filename)]
    if not links:
        raise Exception("No link found for " + filename)
    if len(links) > 1:
        raise Exception("More than one link found for " + filename)
    return links[0]
