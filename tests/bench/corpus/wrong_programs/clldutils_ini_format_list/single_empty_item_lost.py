# a list whose joined text is empty is taken for an empty list, so one empty item gives no line
def format_list(items):
    text = "\n".join(items)
    if not text:
        return ""
    return "\n" + text
