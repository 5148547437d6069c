# wrong: a location at the end of an equality stays before the insertion that follows (>= for >)
def diff_match_patch_diff_x_index(diffs: list[list[bool | float | int | list[object] | dict[object, object] | str | None]], loc: int) -> int:
    chars1 = chars2 = last1 = last2 = 0
    op = None
    for op, text in diffs:
        if op != 1:
            chars1 += len(text)
        if op != -1:
            chars2 += len(text)
        if chars1 > loc or (chars1 == loc and op not in (1, -1)):
            break
        last1, last2 = chars1, chars2
    if op == -1:
        return last2
    return last2 + (loc - last1)
