# wrong: asks whether the last diff of all is a deletion, not the one in which the location lies
def diff_match_patch_diff_x_index(diffs: list[list[bool | float | int | list[object] | dict[object, object] | str | None]], loc: int) -> int:
    chars1 = chars2 = last1 = last2 = 0
    for op, text in diffs:
        if op != 1:
            chars1 += len(text)
        if op != -1:
            chars2 += len(text)
        if chars1 > loc:
            break
        last1, last2 = chars1, chars2
    if diffs and diffs[-1][0] == -1:
        return last2
    return last2 + (loc - last1)
