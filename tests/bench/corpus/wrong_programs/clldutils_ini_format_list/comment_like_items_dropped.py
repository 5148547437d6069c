# items that look like INI comments (# or ;) are left out
def format_list(items):
    lines = []
    for item in items:
        if item.lstrip().startswith(("#", ";")):
            continue
        lines.append("\n" + item)
    return "".join(lines)
