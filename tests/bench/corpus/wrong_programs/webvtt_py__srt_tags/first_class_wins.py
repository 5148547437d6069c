# Wrong: of several classes with a colour the first one named decides; the number given with the colours is not looked at.
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
    known = [colours[c][1] for c in classes if c in colours]
    if known:
        start += '<font color="' + known[0] + '">'
        end = "</font>" + end
    return (name, start, end)
