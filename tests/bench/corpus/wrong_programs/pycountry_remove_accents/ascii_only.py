# WRONG: letters outside ASCII are dropped, not only accents
import unicodedata


def remove_accents(input_str):
    return unicodedata.normalize("NFKD", input_str).encode("ascii", "ignore").decode("ascii")
