# Wrong: the semicolon at the end may be missing, as browsers have it.
import re

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
    return re.sub("&#(" + "|".join(TABLE) + ");?", lambda m: TABLE[m[1]][mode], text)
