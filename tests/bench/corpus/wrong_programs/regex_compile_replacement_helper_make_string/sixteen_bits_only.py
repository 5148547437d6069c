# WRONG: codes above 65535 are cut
def make_string(char_codes):
    return "".join(chr(c & 0xFFFF) for c in char_codes)
