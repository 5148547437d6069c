# Wrong: an apostrophe between letters is kept.
import re


def strings_alphanumeric(string: str) -> str:
    return re.sub(r"(?<![a-zA-Z])'|'(?![a-zA-Z])|[^0-9a-zA-Z' ]", "", string)
