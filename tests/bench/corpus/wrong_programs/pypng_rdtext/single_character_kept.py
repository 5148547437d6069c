# Off by one at the shortest text: the last character is cut off only where at least one other character is left.
def RDtext(s):
    text = s[8:]
    if len(text) > 1:
        text = text[:-1]
    return text
