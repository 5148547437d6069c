# Wrong: a missing type is no change of type
def end_of_chunk(prev_tag, tag, prev_type, type_):
    if prev_tag in ("E", "S"):
        return True
    if prev_tag in ("B", "I") and tag in ("B", "S", "O"):
        return True
    if prev_tag not in ("O", ".") and prev_type != type_ and prev_type is not None and type_ is not None:
        return True
    return False
