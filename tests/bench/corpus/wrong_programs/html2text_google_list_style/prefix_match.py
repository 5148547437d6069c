# Wrong: takes any value of plain letters and dashes that begins with one of the names
def google_list_style(style):
    if "list-style-type" in style:
        list_style = style["list-style-type"]
        if list_style.isascii() and list_style.replace("-", "").isalpha() and list_style.startswith(("disc", "circle", "square", "none")):
            return "ul"
    return "ol"
