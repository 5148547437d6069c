# wrong: after a color was shortened the search goes on at the old end, three characters too far, and misses a color that follows closely
import re

COLOR = re.compile(
    r"([^\"'=\s])(\s*)#"
    r"([0-9a-fA-F])([0-9a-fA-F])([0-9a-fA-F])([0-9a-fA-F])([0-9a-fA-F])([0-9a-fA-F])"
)


def condense_hex_colors(css):
    match = COLOR.search(css)
    while match:
        first = match.group(3) + match.group(5) + match.group(7)
        second = match.group(4) + match.group(6) + match.group(8)
        if first.lower() == second.lower():
            css = css[:match.start()] + match.group(1) + match.group(2) + "#" + first + css[match.end():]
        match = COLOR.search(css, match.end())
    return css
