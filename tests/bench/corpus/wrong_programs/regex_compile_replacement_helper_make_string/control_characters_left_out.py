# WRONG: codes below 32 are dropped
def make_string(char_codes):
    return "".join(chr(c) for c in char_codes if c >= 32)
