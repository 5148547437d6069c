# a negative column counts as a cell that the row does not have
def expand_bottom(values, start, end, col):
    for row in range(start, end):
        if row >= len(values):
            return len(values) - 1
        if not 0 <= col < len(values[row]) or values[row][col] == "":
            return row - 1
    return end - 1
