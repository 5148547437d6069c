# Wrong: \r\n is taken for a line end first
import re

def unwrap(s: str) -> str:
    s = s.replace("\r\n", "\n")
    return "\n".join(p.replace("\n", " ") for p in re.split(r"\n\n+", s))
