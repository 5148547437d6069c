# Wrong: the classes are split off the whole tag, not off its first word, so the annotation is glued to the last class.
def srt_tags(tag, colours):
    words = tag.split()
    if not words:
        return None
    first, *classes = tag.strip().split(".")
    name = first.split()[0] if first else ""
    if not name.isalpha():
        return None
    start = end = ""
    if name in ("b", "i", "u"):
        start, end = "<" + name + ">", "</" + name + ">"
    elif name == "font":
        start, end = "<" + tag + ">", "</font>"
    known = [tuple(colours[c]) for c in classes if c in colours]
    if known:
        start += '<font color="' + max(known)[1] + '">'
        end = "</font>" + end
    return (name, start, end)
