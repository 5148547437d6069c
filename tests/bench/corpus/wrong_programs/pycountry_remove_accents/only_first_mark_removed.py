# WRONG: of two marks on a letter only the first goes
import unicodedata


def remove_accents(input_str):
    out = ""
    before = False
    for c in unicodedata.normalize("NFKD", input_str):
        mark = bool(unicodedata.combining(c))
        if not mark or before:
            out += c
        before = mark
    return out
