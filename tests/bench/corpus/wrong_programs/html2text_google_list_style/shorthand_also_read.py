# Wrong: reads the shorthand list-style too
def google_list_style(style):
    if "list-style-type" in style:
        list_style = style["list-style-type"]
        if list_style in ["disc", "circle", "square", "none"]:
            return "ul"
    if style.get("list-style") in ("disc", "circle", "square", "none"):
        return "ul"
    return "ol"
