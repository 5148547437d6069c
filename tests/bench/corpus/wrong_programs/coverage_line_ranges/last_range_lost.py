# Wrong: a range that reaches the last statement is not written.
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
            pairs.append((start, end))
            start = None
    return pairs
