# wrong: an ampersand or a quote in an attribute's value is escaped for HTML
def make_tag(name, attrs):
    out = "<" + name
    for key, value in sorted(attrs.items()):
        value = str(value).replace("&", "&amp;").replace('"', "&quot;")
        out += f' {key.lstrip("_")}="{value}"'
    return out + ">"


def page_default_link_tag(item):
    text, href, attrs = item["value"], item["href"], item["attrs"] or {}
    if not href or item["type"] in ("span", "current_page"):
        if attrs:
            text = make_tag("span", attrs) + text + "</span>"
        return text
    out = make_tag("a", {**attrs, "href": href})
    return f"{out}{text}</a>" if text else out
