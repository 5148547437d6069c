# Wrong: the number of columns is items by rows rounded to the nearest, where it must be rounded up.
def _chunks(items, size):
    return [items[start:start + size] for start in range(0, len(items), size)]


def find_optimal(rlist, separator_size=2, displaywidth=80):
    for rows in range(1, len(rlist) + 1):
        widths = [max(chunk) for chunk in _chunks(rlist, rows)]
        total = sum(widths)
        columns = round(len(rlist) / rows)
        if total + separator_size * (columns - 1) <= displaywidth:
            break
    return {
        "columns_numbers": columns,
        "optimal_separator_width": (displaywidth - total) / (columns - 1) if columns > 1 else 0,
        "rows_numbers": rows,
        "columns_width": widths,
    }
