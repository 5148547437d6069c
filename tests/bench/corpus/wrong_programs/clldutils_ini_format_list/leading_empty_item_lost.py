# while the text gathered so far is empty the item replaces it, so empty items at the start vanish
def format_list(items):
    if not items:
        return ""
    text = ""
    for item in items:
        text = text + "\n" + item if text else item
    return "\n" + text
