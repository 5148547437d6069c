# wrong: lengths of texts are counted in UTF-8 bytes
def _size(text):
    return len(text.encode("utf-8")) if isinstance(text, str) else len(text)


def diff_match_patch_diff_x_index(diffs: list[list[bool | float | int | list[object] | dict[object, object] | str | None]], loc: int) -> int:
    chars1 = chars2 = last1 = last2 = 0
    op = None
    for op, text in diffs:
        if op != 1:
            chars1 += _size(text)
        if op != -1:
            chars2 += _size(text)
        if chars1 > loc:
            break
        last1, last2 = chars1, chars2
    if op == -1:
        return last2
    return last2 + (loc - last1)
