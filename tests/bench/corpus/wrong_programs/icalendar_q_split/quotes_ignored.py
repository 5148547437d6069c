# WRONG: separators inside quotes split too
def q_split(st, sep=",", maxsplit=-1):
    if maxsplit == 0:
        return [st]
    result = []
    start = 0
    splits = 0
    quoted = False
    for i, ch in enumerate(st):
        if ch == '"':
            quoted = not quoted
        if ch == sep:
            result.append(st[start:i])
            start = i + 1
            splits += 1
        if i + 1 == len(st) or splits == maxsplit:
            result.append(st[start:])
            break
    return result
