# the row of the gap is found again by its value, so an equal row further up counts
def expand_bottom(values, start, end, col):
    for index in range(start, end):
        if index >= len(values):
            return len(values) - 1
        row = values[index]
        if len(row) <= col or row[col] == "":
            if index < 0:
                return index - 1
            return values.index(row) - 1
    return end - 1
