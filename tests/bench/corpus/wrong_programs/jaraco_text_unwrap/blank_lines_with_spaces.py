# Wrong: lines of blanks only separate paragraphs too
import re

def unwrap(s: str) -> str:
    return "\n".join(p.replace("\n", " ") for p in re.split(r"\n(?:[ \t]*\n)+", s))
