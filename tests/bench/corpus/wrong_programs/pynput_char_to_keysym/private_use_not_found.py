# Wrong: private-use characters are reported as not found
import unicodedata

def char_to_keysym(char):
    if unicodedata.category(char) in ("Co", "Cn"):
        return 0
    code = ord(char)
    return code if code < 0x100 else code | 0x01000000
