# Wrong: a list of one is repeated as a list.
def unpack(pad):
    if isinstance(pad, int):
        return (pad, pad, pad, pad)
    if len(pad) == 1:
        p = pad
        return (p, p, p, p)
    if len(pad) == 2:
        top, right = pad
        return (top, right, top, right)
    if len(pad) == 4:
        top, right, bottom, left = pad
        return (top, right, bottom, left)
    raise ValueError(f"1, 2 or 4 integers required for padding; {len(pad)} given")
