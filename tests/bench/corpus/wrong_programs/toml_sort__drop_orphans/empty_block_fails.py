# wrong: looks at the last line without asking whether there is one, so an empty block fails
def drop_orphans(block):
    if all(line is None for line in block) and block[0] is None:
        return block
    if block[-1] is None:
        return ()
    start = len(block)
    while start > 0 and block[start - 1] is not None:
        start -= 1
    return block[start:]
