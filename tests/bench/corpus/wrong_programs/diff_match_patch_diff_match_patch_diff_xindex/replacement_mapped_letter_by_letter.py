# wrong: inside a deletion that an insertion follows the location is mapped letter by letter into the insertion
def diff_match_patch_diff_x_index(diffs: list[list[bool | float | int | list[object] | dict[object, object] | str | None]], loc: int) -> int:
    chars1 = chars2 = last1 = last2 = 0
    op = None
    i = 0
    for i, (op, text) in enumerate(diffs):
        if op != 1:
            chars1 += len(text)
        if op != -1:
            chars2 += len(text)
        if chars1 > loc:
            break
        last1, last2 = chars1, chars2
    if op == -1:
        if i + 1 < len(diffs) and diffs[i + 1][0] == 1:
            return last2 + min(loc - last1, len(diffs[i + 1][1]))
        return last2
    return last2 + (loc - last1)
