# Wrong: types that differ in case only are the same
def end_of_chunk(prev_tag, tag, prev_type, type_):
    if prev_tag in ("E", "S"):
        return True
    if prev_tag in ("B", "I") and tag in ("B", "S", "O"):
        return True
    if prev_tag not in ("O", ".") and str(prev_type).lower() != str(type_).lower():
        return True
    return False
