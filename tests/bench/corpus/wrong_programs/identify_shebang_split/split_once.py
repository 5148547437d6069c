# WRONG: only the first blank splits
def shebang_split(line):
    return line.split(None, 1)
