# wrong: a single-word chunk starts only after a finished chunk or outside, not after B or I of the same type
STARTS = {(p, t) for p in "ESO" for t in "EIS"}


def start_of_chunk(prev_tag, tag, prev_type, type_):
    if tag == "B" or (prev_tag, tag) in STARTS:
        return True
    return tag not in ("O", ".") and prev_type != type_
