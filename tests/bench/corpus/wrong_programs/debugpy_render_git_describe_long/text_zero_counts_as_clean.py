# wrong: the texts 'false', 'no' and '0' under 'dirty' count as false; only the empty text does
def render_git_describe_long(pieces):
    if pieces["closest-tag"]:
        rendered = "%s-%d-g%s" % (pieces["closest-tag"], pieces["distance"], pieces["short"])
    else:
        rendered = pieces["short"]
    dirty = pieces["dirty"]
    if isinstance(dirty, str):
        dirty = dirty.strip().lower() not in ("", "0", "false", "no")
    return rendered + "-dirty" if dirty else rendered
