# Wrong: B, I and U in capitals are taken for b, i and u.
def srt_tags(tag, colours):
    words = tag.split()
    if not words:
        return None
    name, *classes = words[0].split(".")
    if not name.isalpha():
        return None
    start = end = ""
    if name.lower() in ("b", "i", "u"):
        start, end = "<" + name.lower() + ">", "</" + name.lower() + ">"
    elif name.lower() == "font":
        start, end = "<" + tag + ">", "</font>"
    known = [tuple(colours[c]) for c in classes if c in colours]
    if known:
        start += '<font color="' + max(known)[1] + '">'
        end = "</font>" + end
    return (name, start, end)
