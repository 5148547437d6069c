# WRONG: an empty text instead of nothing
import re


def get_leading_words(line):
    m = re.match(r"[\w ]+", line.strip())
    return m.group().strip() or None if m else ""
