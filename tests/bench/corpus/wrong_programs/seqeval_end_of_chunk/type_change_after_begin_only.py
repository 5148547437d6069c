# Wrong: a change of type ends a chunk only if I follows B
def end_of_chunk(prev_tag, tag, prev_type, type_):
    if prev_tag in ("E", "S"):
        return True
    if prev_tag in ("B", "I") and tag in ("B", "S", "O"):
        return True
    if prev_tag == "B" and prev_type != type_:
        return True
    return False
