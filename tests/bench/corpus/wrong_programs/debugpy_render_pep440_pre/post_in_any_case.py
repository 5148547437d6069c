# wrong: ".POST" in capitals is taken as the post part too; only ".post" as written is one
import re


def render_pep440_pre(pieces):
    tag = pieces["closest-tag"]
    distance = pieces["distance"]
    if not tag:
        return "0.post0.dev%d" % distance
    if not distance:
        return tag
    if tag.count(".post") < 2:
        m = re.match(r"(.*)\.post(\d*)\Z", tag, re.S | re.I)
        if m:
            return "%s.post%d.dev%d" % (m.group(1), int(m.group(2) or 0) + 1, distance)
    return "%s.post0.dev%d" % (tag.split(".post")[0], distance)
