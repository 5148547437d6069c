# Wrong: a digit continues the word, so a letter after a digit is made small.
import re

WORD = re.compile(r"[^\W\d_][^\W_]*")


def titlecase(name):
    if name.startswith(("1", "C/", "DSS-")):
        return name
    return WORD.sub(lambda m: m.group().capitalize(), name)
