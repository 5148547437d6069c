# wrong: a line counts as blank only if it holds ASCII blanks; a line of no-break spaces is kept
def do_strip_leading_blank_lines(text):
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if line.strip(" \t\r\n\v\f"):
            return "\n".join(lines[i:])
    return "\n".join(lines)
