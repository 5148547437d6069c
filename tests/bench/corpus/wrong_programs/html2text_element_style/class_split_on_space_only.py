# Wrong: classes are split at the space character only
def element_style(attrs: dict[str, str | None], style_def: dict[str, dict[str, str]], parent_style: dict[str, str]) -> dict[str, str]:
    style = dict(parent_style)
    if "class" in attrs:
        names = attrs["class"].split(" ")
        for c in [n for n in names if n]:
            style.update(style_def.get("." + c, {}))
    if "style" in attrs:
        for part in attrs["style"].split(";"):
            if ":" in part:
                k, v = part.split(":", 1)
                style[k.strip().lower()] = v.strip().lower()
    return style
