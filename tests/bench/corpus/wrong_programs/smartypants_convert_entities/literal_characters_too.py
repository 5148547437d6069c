# Wrong: for the named entities and ASCII the characters themselves are converted as well, not the references alone.
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
    for number, forms in TABLE.items():
        text = text.replace("&#%s;" % number, forms[0])
    if mode not in (0, -3):
        for forms in TABLE.values():
            text = text.replace(forms[0], forms[mode])
    return text
