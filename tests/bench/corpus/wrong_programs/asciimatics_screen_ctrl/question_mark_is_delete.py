# Wrong: ctrl-? is given as delete (127) as terminals show it
def ctrl(char):
    if isinstance(char, str):
        if char == "?":
            return 127
        char = ord(char.upper())
    if 64 <= char <= 95:
        return char - 64
    return None
