# wrong: a comment line counts as empty
def is_empty_line(text: str) -> bool:
    text = text.strip()
    return text == "" or text.startswith("#")
