# Wrong: hexadecimal references and leading zeros are converted too; only the plain decimal form is.
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
    def one(match):
        hexa, dec = match.groups()
        number = int(hexa, 16) if hexa else int(dec)
        row = TABLE.get(str(number))
        return row[mode] if row else match.group()

    return re.sub(r"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));", one, text)
