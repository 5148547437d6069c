# wrong: a missing type (null) is never taken for a change of type
def start_of_chunk(prev_tag, tag, prev_type, type_):
    if tag in ("B", "S"):
        return True
    if tag in ("E", "I") and prev_tag in ("E", "S", "O"):
        return True
    if tag in ("O", "."):
        return False
    if prev_type is None or type_ is None:
        return False
    return prev_type != type_
