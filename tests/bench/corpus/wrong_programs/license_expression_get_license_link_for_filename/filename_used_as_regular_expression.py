# WRONG: the file name is put into a regular expression without escaping, so "+" and "." in it have a meaning.
import re


def get_license_link_for_filename(filename, urls):
    pattern = re.compile("/" + filename + r"\Z")
    links = [url for url in urls if pattern.search(url)]
    if not links:
        raise Exception("No link found for " + filename)
    if len(links) > 1:
        raise Exception("More than one link found for " + filename)
    return links[0]
