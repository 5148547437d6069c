# wrong: any negative right margin is taken as "same as left"; only -1 is


def fpdf_set_margins(left, top, right=-1):
    if right < 0:
        right = left
    return {"l_margin": left, "t_margin": top, "r_margin": right}
