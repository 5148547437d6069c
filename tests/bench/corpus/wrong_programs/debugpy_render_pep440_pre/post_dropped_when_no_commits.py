# wrong: with no commits since the tag, the tag without its post part is given in place of the whole tag


def render_pep440_pre(pieces):
    tag = pieces["closest-tag"]
    distance = pieces["distance"]
    if not tag:
        return "0.post0.dev%d" % distance
    post = None
    if isinstance(tag, str):
        parts = tag.split(".post")
        tag = parts[0]
        if len(parts) == 2:
            post = parts[1]
    if not distance:
        return tag
    if post is None:
        return "%s.post0.dev%d" % (tag, distance)
    return "%s.post%d.dev%d" % (tag, int(post or 0) + 1, distance)
