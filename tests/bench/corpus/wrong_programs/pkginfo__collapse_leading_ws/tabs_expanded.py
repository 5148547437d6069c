# Wrong: tabs at the start of a line count as eight blanks
def collapse_leading_ws(header: str, txt: str) -> str:
    if header.lower() == "description":
        return "\n".join([x.expandtabs(8)[8:] if x.expandtabs(8).startswith(" " * 8) else x for x in txt.strip().splitlines()])
    return " ".join([x.strip() for x in txt.splitlines()])
