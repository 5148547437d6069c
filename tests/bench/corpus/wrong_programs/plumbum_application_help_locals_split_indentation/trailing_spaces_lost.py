# Wrong: the spaces at the end of the line are taken off the remainder as well.
def split_indentation(s):
    rest = s.strip(" ")
    indentation = s[: len(s) - len(s.lstrip(" "))]
    return indentation, rest
