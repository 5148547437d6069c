# wrong: cuts after the first gap instead of the last, so an orphan between two gaps stays
def drop_orphans(block):
    if all(line is None for line in block):
        return block
    if None not in block:
        return block
    if block[-1] is None:
        return ()
    start = block.index(None)
    while block[start] is None:
        start += 1
    return block[start:]
