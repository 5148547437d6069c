# wrong: splits a description at \n only, so that carriage returns stay
def collapse_leading_ws(header: str, txt: str) -> str:
    if header.lower() == "description":
        lines = txt.strip().split("\n") if txt.strip() else []
        return "".join((x[8:] if x.startswith(" " * 8) else x) + "\n" for x in lines)
    return " ".join(x.strip() for x in txt.splitlines())
