# wrong: a leading tab is taken off like eight spaces
import re


def collapse_leading_ws(header: str, txt: str) -> str:
    if header.lower() == "description":
        lines = txt.strip().splitlines()
        return "".join(re.sub(r"^(\t| {8})", "", x) + "\n" for x in lines)
    return " ".join(x.strip() for x in txt.splitlines())
