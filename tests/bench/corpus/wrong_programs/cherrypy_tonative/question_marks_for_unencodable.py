# Wrong: makes a text fit the encoding with "?" for what does not fit, instead of leaving the text alone.
import codecs


def tonative(n, encoding: str = "ISO-8859-1"):
    if isinstance(n, str):
        try:
            codecs.lookup(encoding)
        except LookupError:
            return n
        n = n.encode(encoding, errors="replace").decode(encoding)
    return n
