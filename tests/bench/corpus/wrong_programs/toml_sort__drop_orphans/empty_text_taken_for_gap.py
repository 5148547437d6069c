# wrong: an empty text counts as a gap as nothing does, so the run is cut at it
def drop_orphans(block):
    if all(line is None for line in block):
        return block
    result = []
    for line in block:
        if not line:
            result = []
        else:
            result.append(line)
    return tuple(result)
