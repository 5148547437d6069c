# WRONG: words later in the line are found
import re


def get_leading_words(line):
    m = re.search(r"[\w ]+", line.strip())
    return m.group().strip() or None if m else None
