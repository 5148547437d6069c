# Wrong: commas that follow one another split only once, so empty parts between them are lost.
def split_outside_quotes(attr):
    parts = [""]
    quote = None
    escaped = False
    previous_split = False
    for char in attr:
        split = False
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif quote is not None:
            if char == quote:
                quote = None
        elif char in "\"'":
            quote = char
        elif char == ",":
            split = True
            if not previous_split:
                parts.append("")
        if not split:
            parts[-1] += char
        previous_split = split
    return parts
