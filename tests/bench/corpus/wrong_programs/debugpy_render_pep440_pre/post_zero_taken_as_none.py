# wrong: a post number 0 is taken for no post number (truth tested in place of "is not None")


def _split_post(ver):
    parts = ver.split(".post")
    if len(parts) == 2:
        return parts[0], int(parts[1] or 0)
    return parts[0], None


def render_pep440_pre(pieces):
    tag = pieces["closest-tag"]
    distance = pieces["distance"]
    if tag:
        if distance:
            rendered, post = _split_post(tag)
            if post:
                rendered += ".post%d.dev%d" % (post + 1, distance)
            else:
                rendered += ".post0.dev%d" % distance
        else:
            rendered = tag
    else:
        rendered = "0.post0.dev%d" % distance
    return rendered
