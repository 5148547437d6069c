# wrong: looks at what follows the last end of line only
def is_empty_line(text: str) -> bool:
    return text.split("\n")[-1].strip() == ""
