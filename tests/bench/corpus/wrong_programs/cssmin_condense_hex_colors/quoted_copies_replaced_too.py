# wrong: the found color is replaced everywhere in the text, also within quotes or after '=', where it must stay
import re

COLOR = re.compile(
    r"[^\"'=\s]\s*(#([0-9a-fA-F])([0-9a-fA-F])([0-9a-fA-F])([0-9a-fA-F])([0-9a-fA-F])([0-9a-fA-F]))"
)


def condense_hex_colors(css):
    for whole, r1, r2, g1, g2, b1, b2 in COLOR.findall(css):
        if (r1 + g1 + b1).lower() == (r2 + g2 + b2).lower():
            css = css.replace(whole, "#" + r1 + g1 + b1)
    return css
