# WRONG: two blanks make an empty entry
def shebang_split(line):
    return line.strip().split(" ") if line.strip() else []
