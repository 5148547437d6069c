# Wrong: the hyphen is always used.
import re
import unicodedata


def parameterize(string, separator="-"):
    separator = separator and "-"
    string = unicodedata.normalize("NFKD", string).encode("ascii", "ignore").decode("ascii")
    string = re.sub(r"(?i)[^a-z0-9\-_]+", separator, string)
    if separator:
        re_sep = re.escape(separator)
        string = re.sub(r"%s{2,}" % re_sep, separator, string)
        string = re.sub(r"(?i)^{sep}|{sep}$".format(sep=re_sep), "", string)
    return string.lower()
