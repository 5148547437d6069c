# Wrong: an apostrophe joins letters into one word, so the letter after it stays small.
import re

WORD = re.compile(r"[^\W\d_]+('[^\W\d_]+)*")


def titlecase(name):
    if name.startswith(("1", "C/", "DSS-")):
        return name
    return WORD.sub(lambda m: m.group().capitalize(), name)
