# Wrong: inside a name only letters and decimal digits count, superscript digits do not.
def is_identifier(string):
    if not string or string[0].isdigit():
        return False
    return all(ch == "_" or ch.isalpha() or ch.isdecimal() for ch in string)
