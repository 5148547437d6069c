# wrong: a left or top margin of nothing (null) is held as 0 in place of nothing


def fpdf_set_margins(left, top, right=-1):
    left = 0 if left is None else left
    top = 0 if top is None else top
    if right == -1:
        right = left
    return {"l_margin": left, "t_margin": top, "r_margin": right}
