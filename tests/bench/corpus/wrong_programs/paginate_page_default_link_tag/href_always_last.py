# wrong: href is written last, where all attributes together are in ascending order
def attributes(pairs):
    return "".join(' %s="%s"' % (k.lstrip("_"), v) for k, v in pairs)


def page_default_link_tag(item):
    text = item["value"]
    href = item["href"]
    pairs = sorted(item["attrs"].items()) if item["attrs"] else []
    if not href or item["type"] in ("span", "current_page"):
        if pairs:
            return "<span%s>%s</span>" % (attributes(pairs), text)
        return text
    tag = "<a%s>" % attributes(pairs + [("href", href)])
    return tag + "%s</a>" % text if text else tag
