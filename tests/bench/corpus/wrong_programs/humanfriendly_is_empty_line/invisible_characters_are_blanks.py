# wrong: format characters such as the zero width space count as white space
import unicodedata


def is_empty_line(text: str) -> bool:
    return all(c.isspace() or unicodedata.category(c) == "Cf" for c in text)
