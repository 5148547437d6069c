# Wrong: two values are written top, top, right, right.
def unpack(pad):
    if isinstance(pad, int):
        return (pad, pad, pad, pad)
    if len(pad) == 1:
        p = pad[0]
        return (p, p, p, p)
    if len(pad) == 2:
        top, right = pad
        return (top, top, right, right)
    if len(pad) == 4:
        top, right, bottom, left = pad
        return (top, right, bottom, left)
    raise ValueError(f"1, 2 or 4 integers required for padding; {len(pad)} given")
