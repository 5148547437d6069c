# Wrong: tabs count as indentation too; it is spaces only.
import re


def split_indentation(s):
    n = re.match(r"[ \t]*", s).end()
    return s[:n], s[n:]
