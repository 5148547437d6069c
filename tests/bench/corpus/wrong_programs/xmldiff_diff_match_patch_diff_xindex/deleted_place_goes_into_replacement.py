# Wrong: a place in deleted text is carried into the inserted text that replaces it
def diff_match_patch_diff_x_index(diffs, loc):
    chars1 = chars2 = last1 = last2 = 0
    op = None
    for number, (op, text) in enumerate(diffs):
        if op != 1:
            chars1 += len(text)
        if op != -1:
            chars2 += len(text)
        if chars1 > loc:
            break
        last1, last2 = chars1, chars2
    if op == -1:
        if number + 1 < len(diffs) and diffs[number + 1][0] == 1:
            return last2 + min(loc - last1, len(diffs[number + 1][1]))
        return last2
    return last2 + (loc - last1)
