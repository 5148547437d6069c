# wrong: the excluded characters before # leave out '=', so filter arguments such as color=#FFFFFF are shortened
import re

COLOR = re.compile(
    r"([^\"'\s])(\s*)#"
    r"([0-9a-fA-F])([0-9a-fA-F])([0-9a-fA-F])([0-9a-fA-F])([0-9a-fA-F])([0-9a-fA-F])"
)


def shorten(match):
    before, blanks, r1, r2, g1, g2, b1, b2 = match.groups()
    if (r1 + g1 + b1).lower() == (r2 + g2 + b2).lower():
        return before + blanks + "#" + r1 + g1 + b1
    return match.group()


def condense_hex_colors(css):
    return COLOR.sub(shorten, css)
