# Wrong: eight blanks are removed as often as they are there
import re

def collapse_leading_ws(header: str, txt: str) -> str:
    if header.lower() == "description":
        return "\n".join([re.sub(r"^(?: {8})+", "", x) for x in txt.strip().splitlines()])
    return " ".join([x.strip() for x in txt.splitlines()])
