# Wrong: with `first`, trailing blanks of a first line that is not blank stay; all other lines lose theirs.
def indent(text, chars="  ", first=None):
    if first:
        lines = text.split("\n")
        if lines[0].strip():
            head = first + lines[0]
        else:
            head = first.rstrip()
        return "\n".join([head, indent("\n".join(lines[1:]), chars)])
    return "\n".join([(chars + line).rstrip() for line in text.split("\n")])
