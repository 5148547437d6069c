# rows without cells at the end of the table are not counted as rows
def expand_bottom(values, start, end, col):
    count = len(values)
    while count and not values[count - 1]:
        count -= 1
    for row in range(start, end):
        if row >= count:
            return count - 1
        if col >= len(values[row]) or values[row][col] == "":
            return row - 1
    return end - 1
