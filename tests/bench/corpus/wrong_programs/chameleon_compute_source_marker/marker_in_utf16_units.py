# The marker is as long as the expression in UTF-16 units, so a character beyond 16 bits gets two carets.
def compute_source_marker(line: str, column: int, expression: str, size: int) -> list[str]:
    s = line.lstrip()
    column -= len(line) - len(s)
    s = s.rstrip()
    width = len(expression)

    found = s[column:].find(expression)
    if found < 0:
        marker = "^"
    else:
        column += found
        marker = "^" * (len(expression.encode("utf-16-le", "surrogatepass")) // 2)

    if width > size:
        offset = column
        size = width
    else:
        window = (size - width) / 2.0
        offset = column - window
        offset -= min(3, max(0, column + window + width - len(s)))
        offset = int(offset)

    if offset > 0:
        s = s[offset:]
        rest = s.lstrip()
        column += 4 - (len(s) - len(rest)) - offset
        s = "... " + rest
        size += 4

    if len(s) > size:
        s = s[:size].rstrip() + " ..."

    return s, column * " " + marker
