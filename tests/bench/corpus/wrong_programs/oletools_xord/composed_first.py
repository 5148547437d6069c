# the character is normalized (NFC) first, which changes some single characters
import unicodedata


def xord(char):
    if isinstance(char, int):
        return char
    return ord(unicodedata.normalize("NFC", char))
