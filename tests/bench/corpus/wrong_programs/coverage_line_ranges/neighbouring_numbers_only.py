# Wrong: a range is broken where line numbers are not consecutive, although no statement lies between.
def line_ranges(statements, lines):
    wanted = sorted(set(lines) & set(statements))
    pairs = []
    for line in wanted:
        if pairs and line == pairs[-1][1] + 1:
            pairs[-1] = (pairs[-1][0], line)
        else:
            pairs.append((line, line))
    return pairs
