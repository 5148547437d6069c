# WRONG: leading blanks are part of the result
import re


def get_leading_words(line):
    m = re.match(r"[\w ]+", line)
    return m.group() if m else None
