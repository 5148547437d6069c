# Wrong: only the ASCII white space is taken off at the end of a line, no-break spaces stay.
import string


def _strip_end(line):
    return line.rstrip(string.whitespace)


def indent(text, chars="  ", first=None):
    if first:
        head, _, rest = text.partition("\n")
        return _strip_end(first + head) + "\n" + indent(rest, chars)
    return "\n".join(_strip_end(chars + line) for line in text.split("\n"))
