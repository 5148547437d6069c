# Wrong: $ also matches before a line end at the end of the text, so a slash that is not the last character is removed.
import re


def strip_slashes(name):
    return re.sub(r"^/+|/+$", "", name)
