# Wrong: str.splitlines also cuts at form feeds, lone carriage returns, U+0085 and U+2028, not only at \n.
def _lines(text):
    lines = text.splitlines()
    if not lines or text.endswith("\n"):
        lines.append("")
    return lines


def indent(text, chars="  ", first=None):
    lines = _lines(text)
    if first:
        head = (first + lines[0]).rstrip()
        rest = lines[1:] or [""]
        return "\n".join([head] + [(chars + line).rstrip() for line in rest])
    return "\n".join((chars + line).rstrip() for line in lines)
