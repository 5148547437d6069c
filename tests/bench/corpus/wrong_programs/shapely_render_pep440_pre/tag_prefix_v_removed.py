# Wrong: a v before the version is taken off
def render_pep440_pre(pieces):
    tag = pieces["closest-tag"]
    if isinstance(tag, str):
        tag = tag.lstrip("v")
    if tag:
        if not pieces["distance"]:
            return tag
        parts = tag.split(".post")
        if len(parts) == 2:
            return parts[0] + ".post%d.dev%d" % (int(parts[1] or 0) + 1, pieces["distance"])
        return parts[0] + ".post0.dev%d" % pieces["distance"]
    return "0.post0.dev%d" % pieces["distance"]
