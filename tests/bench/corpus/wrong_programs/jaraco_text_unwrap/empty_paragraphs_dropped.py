# Wrong: empty paragraphs at the ends are dropped
import re

def unwrap(s: str) -> str:
    parts = re.split(r"\n\n+", s)
    return "\n".join(p.replace("\n", " ") for p in parts if p)
