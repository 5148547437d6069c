# Wrong: splits with blanks before the semicolon eaten, so they are lost in the result.
import re


def make_important(bulk):
    parts = re.split(r"\s*;", bulk)
    return ";".join(
        part if part.endswith("!important") else "%s !important" % part
        for part in parts
    )
