# a cell of only blanks counts as empty
def expand_bottom(values, start, end, col):
    for row in range(start, end):
        if row >= len(values):
            return len(values) - 1
        cells = values[row]
        if col >= len(cells) or not cells[col].strip():
            return row - 1
    return end - 1
