# wrong: after a dot a chunk starts as it does after O
OUTSIDE = ("O", ".")


def start_of_chunk(prev_tag, tag, prev_type, type_):
    if tag in OUTSIDE:
        return False
    if tag in ("B", "S"):
        return True
    finished = prev_tag in OUTSIDE or prev_tag in ("E", "S")
    if finished and tag in ("I", "E"):
        return True
    return prev_type != type_
