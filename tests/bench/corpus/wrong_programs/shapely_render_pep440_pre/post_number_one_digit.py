# Wrong: only the first digit of the post number is read
def render_pep440_pre(pieces):
    tag = pieces["closest-tag"]
    if tag:
        if not pieces["distance"]:
            return tag
        parts = tag.split(".post")
        if len(parts) == 2:
            return parts[0] + ".post%d.dev%d" % (int(parts[1][:1] or 0) + 1, pieces["distance"])
        return parts[0] + ".post0.dev%d" % pieces["distance"]
    return "0.post0.dev%d" % pieces["distance"]
