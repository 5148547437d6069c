# wrong: empties lines of a few spaces in a description
def collapse_leading_ws(header: str, txt: str) -> str:
    if header.lower() == "description":
        lines = txt.strip().splitlines()
        return "".join(("" if not x.strip() else x[8:] if x.startswith(" " * 8) else x) + "\n" for x in lines)
    return " ".join(x.strip() for x in txt.splitlines())
