# Wrong: positions past 999 are cut to 999 as the largest screen; they are to be written as they are.
LARGEST = 999


def set_cursor_position(x, y):
    if not isinstance(x, int) or not isinstance(y, int):
        raise TypeError("x and y must be integers")
    column = min(x + 1, LARGEST)
    row = min(y + 1, LARGEST)
    return f"\x1b[{row};{column}H"
