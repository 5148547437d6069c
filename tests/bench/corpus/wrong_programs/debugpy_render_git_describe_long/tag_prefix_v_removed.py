# wrong: a v at the start of the tag is removed as if a version were made; the tag is to be given as it is
def render_git_describe_long(pieces):
    tag = pieces["closest-tag"]
    if tag:
        if tag.startswith("v"):
            tag = tag[1:]
        rendered = "%s-%d-g%s" % (tag, pieces["distance"], pieces["short"])
    else:
        rendered = pieces["short"]
    if pieces["dirty"]:
        rendered += "-dirty"
    return rendered
