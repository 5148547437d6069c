# wrong: a span without text is not closed, by the rule that holds for links only
def make_tag(name, text, attrs):
    parts = [name]
    for key in sorted(attrs):
        parts.append('%s="%s"' % (key.lstrip("_"), attrs[key]))
    tag = "<%s>" % " ".join(parts)
    if text:
        tag += "%s</%s>" % (text, name)
    return tag


def page_default_link_tag(item):
    attrs = item["attrs"] or {}
    if not item["href"] or item["type"] in ("span", "current_page"):
        if attrs:
            return make_tag("span", item["value"], attrs)
        return item["value"]
    return make_tag("a", item["value"], {**attrs, "href": item["href"]})
