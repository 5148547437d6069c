# Wrong: the prefix is chosen by looking the line up (list.index), so later lines equal to the first get `first` too.
def indent(text, chars="  ", first=None):
    lines = text.split("\n")
    if not first:
        return "\n".join((chars + line).rstrip() for line in lines)
    out = []
    for line in lines:
        prefix = first if lines.index(line) == 0 else chars
        out.append((prefix + line).rstrip())
    if len(lines) == 1:
        out.append(chars.rstrip())
    return "\n".join(out)
