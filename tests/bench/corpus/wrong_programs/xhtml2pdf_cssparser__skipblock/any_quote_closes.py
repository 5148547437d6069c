# Wrong: any quote ends a quoted string, whichever began it.
def skipBlock(src: str) -> str:
    start = src.find("{")
    if start < 0:
        return ""
    depth = 0
    in_string = False
    for pos in range(start, len(src)):
        c = src[pos]
        if c in "\"'":
            in_string = not in_string
        elif not in_string:
            if c == "{":
                depth += 1
            elif c == "}":
                depth -= 1
                if not depth:
                    return src[pos + 1:].lstrip()
    return ""
