# Wrong: only the first declaration of the style attribute is read
def element_style(attrs: dict[str, str | None], style_def: dict[str, dict[str, str]], parent_style: dict[str, str]) -> dict[str, str]:
    style = dict(parent_style)
    if "class" in attrs:
        names = attrs["class"].split()
        for c in names:
            style.update(style_def.get("." + c, {}))
    if "style" in attrs:
        for part in attrs["style"].split(";")[:1]:
            if ":" in part:
                k, v = part.split(":", 1)
                style[k.strip().lower()] = v.strip().lower()
    return style
