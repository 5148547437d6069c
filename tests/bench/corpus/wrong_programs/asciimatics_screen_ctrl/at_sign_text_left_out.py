# Wrong: the text range begins with the letter A, so the at sign gives nothing
def ctrl(char):
    if isinstance(char, str):
        char = char.upper()
        return ord(char) - 64 if "A" <= char <= "_" else None
    if 64 <= char <= 95:
        return char - 64
    return None
