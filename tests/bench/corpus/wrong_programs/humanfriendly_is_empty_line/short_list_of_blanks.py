# wrong: strips a fixed list of blanks only
def is_empty_line(text: str) -> bool:
    return not text.strip(" \t\r\n\u00a0")
