# a cell with the text 0 counts as empty
def expand_bottom(values, start, end, col):
    empty = ("", "0")
    row = start
    while row < end:
        if row >= len(values):
            return len(values) - 1
        if col >= len(values[row]) or values[row][col] in empty:
            return row - 1
        row += 1
    return end - 1
