# Wrong: compatibility characters such as full-width letters are normalised first
import unicodedata

def ctrl(char):
    if isinstance(char, str):
        plain = unicodedata.normalize("NFKC", char)
        char = ord((plain if len(plain) == 1 else char).upper())
    if 64 <= char <= 95:
        return char - 64
    return None
