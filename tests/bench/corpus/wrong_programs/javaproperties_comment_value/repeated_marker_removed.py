# Wrong: a marker that is repeated (##) is removed as a whole, not only its first character.
import re


def comment_value(source):
    s = re.sub(r"\A[ \t\f\r\n]*(?:([#!])\1*)?", "", source)
    return re.sub(r"(?:\r\n|\r|\n)\Z", "", s)
