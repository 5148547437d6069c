# Wrong: insertions after the first deletion are not counted at their border
def diff_match_patch_diff_x_index(diffs, loc):
    chars1 = chars2 = last1 = last2 = 0
    op = None
    for op, text in diffs:
        if op != 1:
            chars1 += len(text)
        if op != -1:
            chars2 += len(text)
        if chars1 > loc:
            break
        if op == 1 and chars1 == loc and chars1 > 0:
            break
        last1, last2 = chars1, chars2
    if op == -1:
        return last2
    return last2 + (loc - last1)
