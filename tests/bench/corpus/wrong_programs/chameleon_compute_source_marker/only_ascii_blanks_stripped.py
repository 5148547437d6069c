# Only ASCII white space is stripped from the line, so no-break spaces and the like are left standing.
_BLANKS = " \t\n\r\f\v"


def compute_source_marker(line: str, column: int, expression: str, size: int) -> list[str]:
    s = line.lstrip(_BLANKS)
    column -= len(line) - len(s)
    s = s.rstrip(_BLANKS)
    width = len(expression)

    found = s[column:].find(expression)
    if found < 0:
        marker = "^"
    else:
        column += found
        marker = "^" * width

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
        rest = s.lstrip(_BLANKS)
        column += 4 - (len(s) - len(rest)) - offset
        s = "... " + rest
        size += 4

    if len(s) > size:
        s = s[:size].rstrip(_BLANKS) + " ..."

    return s, column * " " + marker
