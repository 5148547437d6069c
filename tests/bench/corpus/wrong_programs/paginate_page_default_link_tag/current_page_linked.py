# wrong: the current page gets a link like any other; only "span" is told apart
def make_tag(name, attrs):
    out = "<" + name
    for key in sorted(attrs):
        out += ' {}="{}"'.format(key.lstrip("_"), attrs[key])
    return out + ">"


def page_default_link_tag(item):
    text, href, attrs = item["value"], item["href"], item["attrs"] or {}
    if not href or item["type"] == "span":
        if attrs:
            return make_tag("span", attrs) + text + "</span>"
        return text
    out = make_tag("a", dict(attrs, href=href))
    if text:
        out += text + "</a>"
    return out
