# Wrong: splits everywhere and joins again until the bracket counts agree; a "<" used as an operator spoils the count.
def split_name(name: str) -> list[str]:
    parts = []
    pending = None
    for piece in name.split("::"):
        pending = piece if pending is None else pending + "::" + piece
        balanced = True
        for left, right in ("<>", "()", "[]"):
            diff = pending.count(left) - pending.count(right)
            if diff > 0 or (diff < 0 and parts):
                balanced = False
        if balanced:
            parts.append(pending)
            pending = None
    if pending is not None:
        parts.append(pending)
    return parts
