# wrong: the tags U and L of the BILOU scheme are read as S and E
SAME = {"U": "S", "L": "E"}


def start_of_chunk(prev_tag, tag, prev_type, type_):
    prev_tag, tag = SAME.get(prev_tag, prev_tag), SAME.get(tag, tag)
    if tag == "B" or tag == "S":
        return True
    if prev_tag in ("O", "E", "S") and tag in ("E", "I"):
        return True
    return tag != "O" and tag != "." and prev_type != type_
