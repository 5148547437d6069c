# Wrong: one flag for both kinds of quote, so an apostrophe inside double quotes ends the string.
def split_outside_quotes(attr):
    parts = [""]
    quoted = escaped = False
    for char in attr:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char in "\"'":
            quoted = not quoted
        elif char == "," and not quoted:
            parts.append("")
            continue
        parts[-1] += char
    return parts
