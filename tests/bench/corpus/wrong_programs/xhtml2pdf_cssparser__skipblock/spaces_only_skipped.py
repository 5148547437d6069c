# Wrong: only spaces are skipped after the block, not tabs and ends of lines.
def skipBlock(src: str) -> str:
    start = src.find("{")
    if start == -1:
        return ""
    depth, quote = 0, None
    for i, c in enumerate(src):
        if i < start:
            continue
        if quote:
            if c == quote:
                quote = None
        elif c in "'\"":
            quote = c
        elif c == "{":
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0:
                return src[i + 1:].lstrip(" ")
    return ""
