# Wrong: blanks that follow a splitting comma are dropped from the next part.
def split_outside_quotes(attr):
    parts = []
    current = ""
    quote = ""
    escaped = False
    for char in attr:
        if escaped:
            current += char
            escaped = False
            continue
        if char == "\\":
            escaped = True
        elif quote:
            if char == quote:
                quote = ""
        elif char in "\"'":
            quote = char
        elif char == ",":
            parts.append(current)
            current = ""
            continue
        elif char.isspace() and parts and not current:
            continue
        current += char
    parts.append(current)
    return parts
