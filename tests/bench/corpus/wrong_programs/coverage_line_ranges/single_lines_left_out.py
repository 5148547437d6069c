# Wrong: ranges of one line are dropped.
def line_ranges(statements, lines):
    statements = sorted(statements)
    lines = sorted(lines)
    pairs = []
    start = None
    end = None
    lidx = 0
    for stmt in statements:
        if lidx >= len(lines):
            break
        if stmt == lines[lidx]:
            lidx += 1
            if not start:
                start = stmt
            end = stmt
        elif start:
            if end > start:
                pairs.append((start, end))
            start = None
    if start:
        pairs.append((start, end))
    return pairs
