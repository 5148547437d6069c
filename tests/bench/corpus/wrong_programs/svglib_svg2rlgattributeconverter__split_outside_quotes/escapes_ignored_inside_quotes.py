# Wrong: a backslash escapes only outside quoted strings, so an escaped quote inside one ends it.
def split_outside_quotes(attr):
    parts = []
    current = []
    quote = None
    escaped = False
    for char in attr:
        if quote:
            current.append(char)
            if char == quote:
                quote = None
        elif escaped:
            current.append(char)
            escaped = False
        elif char == ",":
            parts.append("".join(current))
            current = []
        else:
            if char == "\\":
                escaped = True
            elif char in ("'", '"'):
                quote = char
            current.append(char)
    parts.append("".join(current))
    return parts
