# Wrong: tab, return, backspace and escape give the X function keys
KEYS = {"\b": 0xFF08, "\t": 0xFF09, "\r": 0xFF0D, "\x1b": 0xFF1B, "\x7f": 0xFFFF}

def char_to_keysym(char):
    if char in KEYS:
        return KEYS[char]
    code = ord(char)
    return code if code < 256 else 0x1000000 | code
