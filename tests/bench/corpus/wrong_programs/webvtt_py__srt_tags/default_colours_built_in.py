# Wrong: the default colour classes of WebVTT give a colour even when the map of colours does not hold them.
DEFAULTS = ("white", "lime", "cyan", "red", "yellow", "magenta", "blue", "black")


def srt_tags(tag, colours):
    words = tag.split()
    if not words:
        return None
    name, *classes = words[0].split(".")
    if not name.isalpha():
        return None
    start = end = ""
    if name in ("b", "i", "u"):
        start, end = "<" + name + ">", "</" + name + ">"
    elif name == "font":
        start, end = "<" + tag + ">", "</font>"
    known = [tuple(colours.get(c) or (-1, c)) for c in classes if c in colours or c in DEFAULTS]
    if known:
        start += '<font color="' + max(known)[1] + '">'
        end = "</font>" + end
    return (name, start, end)
