# an empty row counts as an empty cell also for a negative column, instead of an error
def expand_bottom(values, start, end, col):
    last = len(values) - 1
    for row in range(start, end):
        if row > last:
            return last
        cells = values[row]
        if not cells or col >= len(cells) or cells[col] == "":
            return row - 1
    return end - 1
