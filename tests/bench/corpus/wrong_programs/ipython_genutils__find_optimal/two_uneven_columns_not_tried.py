# Wrong: after half as many rows as items it goes straight to one column; two columns of uneven height are not tried.
def _chunks(items, size):
    return [items[start:start + size] for start in range(0, len(items), size)]


def find_optimal(rlist, separator_size=2, displaywidth=80):
    for rows in [*range(1, (len(rlist) + 1) // 2 + 1), len(rlist)]:
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
