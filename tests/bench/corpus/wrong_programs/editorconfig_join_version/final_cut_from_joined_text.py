# Wrong: joins all four parts and cuts "-final" from the end, so a tag that ends in "-final" loses its tail.
def join_version(version_tuple):
    text = "%s.%s.%s-%s" % tuple(version_tuple)
    return text.removesuffix("-final")
