# Wrong: checks that a text can be written in the encoding and raises if not, though a text is native already and any text is accepted.
import codecs


def tonative(n, encoding: str = "ISO-8859-1"):
    if isinstance(n, bytes):
        return n.decode(encoding)
    if isinstance(n, str):
        try:
            codecs.lookup(encoding)
        except LookupError:
            return n
        n.encode(encoding)
    return n
