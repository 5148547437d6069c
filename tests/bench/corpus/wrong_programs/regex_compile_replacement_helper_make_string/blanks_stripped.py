# WRONG: blanks at the ends are removed
def make_string(char_codes):
    return "".join(chr(c) for c in char_codes).strip()
