# wrong: the distance is read before it is known whether there is a tag, so pieces without one fail
def render_git_describe_long(pieces):
    tag = pieces["closest-tag"]
    distance = pieces["distance"]
    short = pieces["short"]
    rendered = "%s-%d-g%s" % (tag, distance, short) if tag else short
    if pieces["dirty"]:
        rendered += "-dirty"
    return rendered
