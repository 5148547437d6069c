# Wrong: a line of spaces only has no indentation (the loop that looks for the first other character finds none).
def split_indentation(s):
    for i, c in enumerate(s):
        if c != " ":
            return s[:i], s[i:]
    return "", s
