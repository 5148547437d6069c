# Wrong: words of up to three capitals are taken for abbreviations and kept.
import re


def _word(match):
    word = match.group()
    if len(word) <= 3 and word.isascii() and word.isupper():
        return word
    return word.title()


def titlecase(name):
    if name.startswith(("1", "C/", "DSS-")):
        return name
    return re.sub(r"\S+", _word, name)
