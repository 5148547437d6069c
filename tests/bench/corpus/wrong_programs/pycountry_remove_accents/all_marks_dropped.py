# WRONG: vowel signs with combining class 0 are dropped too
import unicodedata


def remove_accents(input_str):
    return "".join(c for c in unicodedata.normalize("NFKD", input_str) if not unicodedata.category(c).startswith("M"))
