# wrong: a right margin of 0 is taken as not given (truth tested), so the left one is used


def fpdf_set_margins(left, top, right=-1):
    if not right or right == -1:
        right = left
    return {"l_margin": left, "t_margin": top, "r_margin": right}
