# Wrong: the character is normalised first, so signs with a Latin-1 equal lose their own code
import unicodedata

def char_to_keysym(char):
    composed = unicodedata.normalize("NFC", char)
    code = ord(composed if len(composed) == 1 else char)
    return code if code <= 0xFF else code | 0x01000000
