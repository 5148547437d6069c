# WRONG: NFD for NFKD: ligatures and full-width letters stay
import unicodedata


def remove_accents(input_str):
    return "".join(c for c in unicodedata.normalize("NFD", input_str) if not unicodedata.combining(c))
