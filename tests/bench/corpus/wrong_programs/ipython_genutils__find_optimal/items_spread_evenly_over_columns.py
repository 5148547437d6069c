# Wrong: the items are spread evenly over the columns (as numpy.array_split does), where all columns but the last should be full.
def _chunks(items, size):
    count = -(-len(items) // size)
    small, extra = divmod(len(items), count)
    chunks = []
    start = 0
    for index in range(count):
        end = start + small + (1 if index < extra else 0)
        chunks.append(items[start:end])
        start = end
    return chunks


def find_optimal(rlist, separator_size=2, displaywidth=80):
    for rows in range(1, len(rlist) + 1):
        widths = [max(chunk) for chunk in _chunks(rlist, rows)]
        total = sum(widths)
        columns = len(widths)
        if total + separator_size * (columns - 1) <= displaywidth:
            break
    return {
        "columns_numbers": columns,
        "optimal_separator_width": (displaywidth - total) / (columns - 1) if columns > 1 else 0,
        "rows_numbers": rows,
        "columns_width": widths,
    }
