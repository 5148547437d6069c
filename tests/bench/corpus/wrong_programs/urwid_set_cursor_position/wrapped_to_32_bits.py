# Wrong: the one-based position is made a signed 32-bit number, as of C, so the largest int wraps to a negative one.
def _int32(n):
    return (n + 2**31) % 2**32 - 2**31


def set_cursor_position(x, y):
    if not isinstance(x, int) or not isinstance(y, int):
        raise TypeError("x and y must be integers")
    return "\x1b[%d;%dH" % (_int32(y + 1), _int32(x + 1))
