# WRONG: letters with accents end the words
import re


def get_leading_words(line):
    m = re.match(r"[a-zA-Z0-9_ ]+", line.strip())
    return m.group().strip() or None if m else None
