# wrong: compares 'dirty' with a list of the empty values that leaves out the empty map
def render_git_describe_long(pieces):
    if pieces["closest-tag"]:
        rendered = pieces["closest-tag"] + "-%d-g%s" % (pieces["distance"], pieces["short"])
    else:
        rendered = pieces["short"]
    if pieces["dirty"] not in (None, False, 0, "", []):
        rendered += "-dirty"
    return rendered
