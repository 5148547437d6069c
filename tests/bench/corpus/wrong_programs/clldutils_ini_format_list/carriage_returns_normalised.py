# line ends of Windows within items are turned into plain line feeds
def format_list(items):
    out = []
    for item in items:
        out.append("\n")
        out.append(item.replace("\r\n", "\n"))
    return "".join(out)
