# wrong: -1.0 is not known as -1, since the type is compared too


def fpdf_set_margins(left, top, right=-1):
    margins = {"l_margin": left, "t_margin": top, "r_margin": right}
    if isinstance(right, int) and right == -1:
        margins["r_margin"] = left
    return margins
