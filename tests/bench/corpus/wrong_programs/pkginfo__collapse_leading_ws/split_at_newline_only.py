# Wrong: lines are split at \n only
def collapse_leading_ws(header: str, txt: str) -> str:
    if header.lower() == "description":
        return "\n".join([x[8:] if x.startswith(" " * 8) else x for x in txt.strip().split("\n")])
    return " ".join([x.strip() for x in txt.splitlines()])
