# Wrong: of the negative modes only -1 is known, all others give Unicode characters; -2 is the named entities.
TABLE = {
    "8211": ("\u2013", "&ndash;", "-"),
    "8212": ("\u2014", "&mdash;", "--"),
    "8216": ("\u2018", "&lsquo;", "'"),
    "8217": ("\u2019", "&rsquo;", "'"),
    "8220": ("\u201c", "&ldquo;", '"'),
    "8221": ("\u201d", "&rdquo;", '"'),
    "8230": ("\u2026", "&hellip;", "..."),
}


def convert_entities(text, mode):
    for number, (char, name, plain) in TABLE.items():
        if mode == 1:
            new = name
        elif mode in (2, -1):
            new = plain
        else:
            new = char
        text = text.replace("&#" + number + ";", new)
    return text
