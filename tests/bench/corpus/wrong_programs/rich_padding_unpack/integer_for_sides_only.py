# Wrong: one integer pads the sides only.
def unpack(pad):
    if isinstance(pad, int):
        return (0, pad, 0, pad)
    if len(pad) == 1:
        p = pad[0]
        return (p, p, p, p)
    if len(pad) == 2:
        top, right = pad
        return (top, right, top, right)
    if len(pad) == 4:
        top, right, bottom, left = pad
        return (top, right, bottom, left)
    raise ValueError(f"1, 2 or 4 integers required for padding; {len(pad)} given")
