# Wrong: a quote opens a quoted string only where its part begins (after blanks), not after other text.
def split_outside_quotes(attr):
    parts = []
    start = 0
    quote = None
    i = 0
    while i < len(attr):
        char = attr[i]
        if char == "\\":
            i += 2
            continue
        if quote:
            if char == quote:
                quote = None
        elif char in "\"'" and not attr[start:i].strip():
            quote = char
        elif char == ",":
            parts.append(attr[start:i])
            start = i + 1
        i += 1
    parts.append(attr[start:])
    return parts
