# Wrong: a line that ends with a hyphen is joined without a blank
import re

def unwrap(s: str) -> str:
    out = []
    for p in re.split(r"\n\n+", s):
        p = re.sub(r"(?<=\w-)\n(?=\w)", "", p)
        out.append(p.replace("\n", " "))
    return "\n".join(out)
