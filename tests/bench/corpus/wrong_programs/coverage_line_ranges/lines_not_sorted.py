# Wrong: the lines are taken as they come.
def line_ranges(statements, lines):
    statements = sorted(statements)
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
            pairs.append((start, end))
            start = None
    if start:
        pairs.append((start, end))
    return pairs
