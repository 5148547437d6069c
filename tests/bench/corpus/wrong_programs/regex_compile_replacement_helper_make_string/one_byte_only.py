# WRONG: codes are cut to a byte
def make_string(char_codes):
    return "".join(chr(c & 0xFF) for c in char_codes)
