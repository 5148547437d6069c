# Wrong: blanks inside the lines of other headers are collapsed too
def collapse_leading_ws(header: str, txt: str) -> str:
    if header.lower() == "description":
        return "\n".join([x[8:] if x.startswith(" " * 8) else x for x in txt.strip().splitlines()])
    return " ".join([" ".join(x.split()) for x in txt.splitlines()])
