# wrong: of several ".post" in a tag the last one is raised (greedy match); two or more give post0 after the text before the first
import re


def render_pep440_pre(pieces):
    tag = pieces["closest-tag"]
    distance = pieces["distance"]
    if not tag:
        return "0.post0.dev%d" % distance
    if not distance:
        return tag
    m = re.match(r"(.*)\.post(\d*)\Z", tag, re.S)
    if m:
        return "%s.post%d.dev%d" % (m.group(1), int(m.group(2) or 0) + 1, distance)
    return "%s.post0.dev%d" % (tag.split(".post")[0], distance)
