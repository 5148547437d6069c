# Wrong: after E the chunk goes on if an I of the same type follows
def end_of_chunk(prev_tag, tag, prev_type, type_):
    if prev_tag == "S" or prev_tag == "E" and tag != "I":
        return True
    if prev_tag in ("B", "I") and tag in ("B", "S", "O"):
        return True
    if prev_tag not in ("O", ".") and prev_type != type_:
        return True
    return False
