# Wrong: takes names all in upper case too
def google_list_style(style):
    if "list-style-type" in style:
        list_style = style["list-style-type"]
        if list_style in ["disc", "circle", "square", "none", "DISC", "CIRCLE", "SQUARE", "NONE"]:
            return "ul"
    return "ol"
