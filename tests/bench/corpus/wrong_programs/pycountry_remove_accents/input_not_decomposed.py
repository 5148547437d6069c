# WRONG: only free-standing marks are removed, ready-made accented letters stay
import unicodedata


def remove_accents(input_str):
    return "".join(c for c in input_str if not unicodedata.combining(c))
