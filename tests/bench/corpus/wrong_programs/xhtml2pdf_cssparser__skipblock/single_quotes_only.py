# Wrong: only single quotes protect a brace.
def skipBlock(src: str) -> str:
    depth = 1
    quoted = False
    _, brace, rest = src.partition("{")
    if not brace:
        return ""
    for i, ch in enumerate(rest):
        if ch == "'":
            quoted = not quoted
        elif quoted:
            continue
        elif ch == "{":
            depth += 1
        elif ch == "}":
            depth -= 1
            if depth == 0:
                return rest[i + 1:].lstrip()
    return ""
