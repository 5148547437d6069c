# wrong: the start of the run is looked up by its text, so an equal comment further up is found instead
def drop_orphans(block):
    if all(line is None for line in block):
        return block
    run = []
    for line in reversed(block):
        if line is None:
            break
        run.append(line)
    if not run:
        return ()
    start = block.index(run[-1])
    return block[start:]
