# WRONG: everything after a zero is dropped
def make_string(char_codes):
    text = ""
    for c in char_codes:
        if c == 0:
            break
        text += chr(c)
    return text
