# wrong: takes off all leading spaces of a line that starts with eight
def collapse_leading_ws(header: str, txt: str) -> str:
    if header.lower() == "description":
        lines = txt.strip().splitlines()
        return "".join((x.lstrip(" ") if x.startswith(" " * 8) else x) + "\n" for x in lines)
    return " ".join(x.strip() for x in txt.splitlines())
